/** Maximum number of causes to follow. Real chains are shorter, but causes can form a cycle. */
const maxCauses = 16

/**
 * Returns the code of an error or of its first cause with one, such as `ECONNREFUSED` or an SQLSTATE, and the name of an
 * error without a code. Messages of errors can contain data and are never shown.
 */
export function failureCode(error: unknown): string {
  let at = error
  for (let depth = 0; depth < maxCauses && at instanceof Error; depth += 1) {
    const code: unknown = Reflect.get(at, 'code')
    // Codes of the kit, such as service.unavailable, wrap the code of the driver.
    if (typeof code === 'string' && /^[A-Z0-9_]+$/.test(code)) return code
    if (at.cause === undefined) return at.name
    at = at.cause
  }
  return 'unknown'
}

/** Returns whether a connection failed because the certificate of the server is not accepted. */
export const isCertificateFailure = (code: string): boolean => /CERT|UNABLE_TO|SELF_SIGNED|ALTNAME/.test(code)
