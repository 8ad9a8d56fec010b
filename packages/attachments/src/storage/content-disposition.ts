/**
 * `Content-Disposition: attachment` with a file name for every client: UTF-8 in `filename*` (RFC 8187), and an ASCII
 * fallback for those that do not know it (RFC 6266 §4.3). Nothing of the name can end its parameter or the header.
 */
export function attachmentDisposition(fileName: string): string {
  return `attachment; filename="${asciiFallback(fileName)}"; filename*=UTF-8''${extendedValue(fileName)}`
}

/**
 * Besides quotes and backslashes, percent signs are replaced: some clients decode `%41` in a plain `filename`
 * (RFC 6266 appendix D).
 */
const asciiFallback = (fileName: string): string => fileName.replace(/[^\x20-\x7e]|["\\%]/gu, '_')

/** Of what encodeURIComponent leaves alone, four are not `attr-char` (RFC 8187 §3.2.1). */
const extendedValue = (fileName: string): string =>
  encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
