import { readFileSync } from 'node:fs'

/** The version in `package.json` of this package. The path works from both `src` and `dist`. */
export const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
