import { createHash } from 'node:crypto'
import { CoreError } from '@vertical-kit/core-audit'
import canonicalize from 'canonicalize'

/** What makes a request the one it is. */
export interface FingerprintedRequest {
  readonly documentType: string
  readonly documentId: string
  readonly actionCode: string
  /** The body as it was parsed, everything in it. */
  readonly body: unknown
}

/**
 * SHA-256 over a request in canonical JSON: the order of properties and white space do not matter, everything else
 * does.
 *
 * @throws {CoreError} request.invalid for what has no canonical form: a lone surrogate, a number past all numbers
 * @see RFC 8785
 */
export function fingerprintOf(request: FingerprintedRequest): Buffer {
  const { documentType, documentId, actionCode, body } = request
  return createHash('sha256')
    .update(canonical([documentType, documentId, actionCode, body]))
    .digest()
}

function canonical(value: unknown): string {
  try {
    return canonicalize(value) ?? ''
  } catch (cause) {
    throw new CoreError('request.invalid', {
      errors: [{ path: '', message: 'holds a character or a number that cannot be stored' }],
      cause,
    })
  }
}
