import { readFileSync } from 'node:fs'

/** The release of this package, from the `package.json` next to `src` and `dist`. */
export const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
