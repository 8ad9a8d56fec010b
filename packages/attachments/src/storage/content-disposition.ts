/**
 * Returns `Content-Disposition: attachment` with the file name in UTF-8 in `filename*` (RFC 8187) and an ASCII fallback
 * for older clients (RFC 6266 §4.3). No file name can break out of its parameter or of the header.
 */
export function attachmentDisposition(fileName: string): string {
  return `attachment; filename="${asciiFallback(fileName)}"; filename*=UTF-8''${extendedValue(fileName)}`
}

/**
 * Replaces non-ASCII characters, quotes, backslashes and percent signs. Some clients decode `%41` in a plain `filename`
 * (RFC 6266 appendix D).
 */
const asciiFallback = (fileName: string): string => fileName.replace(/[^\x20-\x7e]|["\\%]/gu, '_')

/** Also escapes the four characters that encodeURIComponent keeps but that are not `attr-char` (RFC 8187 §3.2.1). */
const extendedValue = (fileName: string): string =>
  encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
