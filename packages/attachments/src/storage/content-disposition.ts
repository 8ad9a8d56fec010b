/**
 * Returns the value of a `Content-Disposition: attachment` header. `filename*` contains the file name in UTF-8 (RFC 8187),
 * and `filename` is an ASCII fallback for older clients (RFC 6266 §4.3). No file name can add parameters or headers.
 */
export function attachmentDisposition(fileName: string): string {
  return `attachment; filename="${asciiFallback(fileName)}"; filename*=UTF-8''${extendedValue(fileName)}`
}

/**
 * Replaces non-ASCII characters, quotes, backslashes and percent signs with `_`. Percent signs are replaced because some
 * clients decode `%41` even in a plain `filename` (RFC 6266 appendix D).
 */
const asciiFallback = (fileName: string): string => fileName.replace(/[^\x20-\x7e]|["\\%]/gu, '_')

/** Escapes `'`, `(`, `)` and `*` too: encodeURIComponent keeps them, but RFC 8187 §3.2.1 does not allow them. */
const extendedValue = (fileName: string): string =>
  encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
