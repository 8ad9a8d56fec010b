import { readFileSync } from 'node:fs'

/** The version in the `package.json` of this package. The relative path is valid in both `src` and `dist`. */
export const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
