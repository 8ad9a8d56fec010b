import { S3Error, type S3ErrorCode } from './errors.ts'
import type { S3Request } from './request.ts'

/** The signature data of a request. It is not verified yet. */
export interface SignatureClaim {
  readonly accessKeyId: string
  /** The date of the credential scope, `YYYYMMDD`. */
  readonly scopeDate: string
  readonly region: string
  readonly service: string
  readonly signedAt: Date
  /** The lifetime of a presigned request; absent for signatures in the header. */
  readonly expiresInSeconds?: number
  readonly signedHeaders: readonly string[]
  /** 64 hexadecimal digits. */
  readonly signature: string
}

const algorithm = 'AWS4-HMAC-SHA256'

/** One week, the S3 limit for presigned requests. */
const maxExpiresInSeconds = 604_800

/** Reads the claim from the Authorization header or the query. Throws `AccessDenied` if both are missing. */
export function readClaim(request: S3Request): SignatureClaim {
  const authorization = request.headers.get('authorization')
  if (request.isPresigned && authorization !== undefined) {
    throw new S3Error('InvalidArgument', 'Only one authentication mechanism is allowed.')
  }
  if (request.isPresigned) return readQueryClaim(request)
  if (authorization !== undefined) return readHeaderClaim(request, authorization)
  throw new S3Error('AccessDenied', 'Access Denied')
}

function readHeaderClaim(request: S3Request, authorization: string): SignatureClaim {
  const malformed = 'AuthorizationHeaderMalformed'
  const parts = /^(\S+) +Credential=([^,\s]+), *SignedHeaders=([^,\s]+), *Signature=([^,\s]+)$/.exec(
    authorization,
  )
  requireAlgorithm(authorization.split(' ', 1)[0])
  if (!parts) throw new S3Error(malformed, 'The authorization header is malformed.')
  const [, , credential = '', signedHeaders = '', signature = ''] = parts
  return {
    ...readScope(credential, malformed),
    signedAt: readInstant(request.headers.get('x-amz-date'), 'AccessDenied'),
    signedHeaders: signedHeaders.split(';'),
    signature: readSignature(signature),
  }
}

function readQueryClaim({ query }: S3Request): SignatureClaim {
  const malformed = 'AuthorizationQueryParametersError'
  requireAlgorithm(query.get('X-Amz-Algorithm'))
  return {
    ...readScope(query.get('X-Amz-Credential') ?? '', malformed),
    signedAt: readInstant(query.get('X-Amz-Date'), malformed),
    expiresInSeconds: readExpiry(query.get('X-Amz-Expires') ?? ''),
    signedHeaders: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: readSignature(query.get('X-Amz-Signature') ?? ''),
  }
}

function requireAlgorithm(name: string | undefined) {
  if (name !== algorithm) throw new S3Error('InvalidRequest', `Please use ${algorithm}.`)
}

function readScope(credential: string, malformed: S3ErrorCode) {
  const [accessKeyId = '', scopeDate = '', region = '', service = '', terminator, ...rest] =
    credential.split('/')
  if (terminator !== 'aws4_request' || rest.length > 0) {
    throw new S3Error(malformed, 'The credential must be <key>/<date>/<region>/<service>/aws4_request.')
  }
  return { accessKeyId, scopeDate, region, service }
}

/** Parses ISO 8601 basic format in UTC with whole seconds: `20261121T035900Z`. */
function readInstant(text: string | undefined, malformed: S3ErrorCode): Date {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '')
  const [, year, month, day, hour, minute, second] = parts ?? []
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const instant = new Date(iso)
  if (!parts || Number.isNaN(instant.getTime()) || instant.toISOString() !== iso) {
    throw new S3Error(malformed, 'The date of a signature must have the format YYYYMMDDTHHMMSSZ.')
  }
  return instant
}

function readExpiry(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > maxExpiresInSeconds) {
    throw new S3Error(
      'AuthorizationQueryParametersError',
      `X-Amz-Expires must be 1 to ${maxExpiresInSeconds}.`,
    )
  }
  return seconds
}

function readSignature(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new S3Error('SignatureDoesNotMatch', 'The signature must be 64 hexadecimal digits.')
  }
  return text
}
