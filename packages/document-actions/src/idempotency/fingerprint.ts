import { createHash } from 'node:crypto'
import { CoreError } from '@vertical-kit/core-audit'
import canonicalize from 'canonicalize'

/** The parts of a request that identify it for idempotency. */
export interface FingerprintedRequest {
  readonly documentType: string
  readonly documentId: string
  readonly actionCode: string
  /** The complete parsed body, including unknown properties. */
  readonly body: unknown
}

/**
 * Returns the SHA-256 hash of a request in canonical JSON. The order of properties and white space do not affect the
 * hash; everything else does.
 *
 * @throws {CoreError} request.invalid for values without a canonical form: lone surrogates, infinite numbers
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
