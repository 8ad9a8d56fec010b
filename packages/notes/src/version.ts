import { readFileSync } from 'node:fs'

/** This package's release, from its `package.json`, which lies beside both `src` and `dist`. */
export const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
