import { readFileSync } from 'node:fs'

/** The release of this package, read from `package.json`. The relative path is valid from both `src` and `dist`. */
export const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
