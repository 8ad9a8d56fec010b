import { readFileSync } from 'node:fs'

/** This package's release, read from `package.json`, which is next to both `src` and `dist`. */
export const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
