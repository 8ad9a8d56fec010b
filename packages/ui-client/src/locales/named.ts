import { readable } from '../elements/administration/texts.ts'

/** Returns a function that names a part of a permission. Codes without a name are converted to words. */
export const named =
  (names: Readonly<Record<string, string>>): ((code: string) => string) =>
  (code) =>
    names[code] ?? readable(code)
