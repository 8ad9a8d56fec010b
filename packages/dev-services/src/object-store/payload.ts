import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { S3Error, type S3ErrorCode } from './errors.ts'
import type { S3Request } from './request.ts'

/** S3's limit for a single PUT and for a part: 5 GiB. */
const maxObjectBytes = 5 * 1024 ** 3

/** The hash of an empty body, the only hash that a request without a body can declare. */
const emptySha256 = createHash('sha256').digest('hex')

interface DigestCheck {
  readonly expected: string
  readonly refusal: S3ErrorCode
  update(chunk: Uint8Array): void
  digest(): string
}

/**
 * Returns the body of a request as a stream. At its end, the stream throws unless the body matches all declarations:
 * length, `x-amz-content-sha256`, `Content-MD5` and `x-amz-checksum-*`. Throws `NotImplemented` immediately for
 * declarations that it cannot verify, and `EntityTooLarge` for a body of more than `maxBytes`.
 */
export function readVerifiedBody(request: S3Request, maxBytes = maxObjectBytes): AsyncIterable<Uint8Array> {
  refuseChunkedSignature(request)
  const lengthBytes = declaredLengthBytes(request)
  if (lengthBytes > maxBytes) {
    throw new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size')
  }
  return verify(request, lengthBytes, declaredDigests(request))
}

/** Throws if the request has a body, for operations that accept no body. */
export function requireEmptyBody(request: S3Request) {
  refuseChunkedSignature(request)
  const isEmpty =
    (request.headers.get('content-length') ?? '0') === '0' && !request.headers.has('transfer-encoding')
  if (!isEmpty) throw new S3Error('InvalidRequest', 'This operation accepts no request body.')
  const declared = request.amz.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD'
  if (declared !== 'UNSIGNED-PAYLOAD' && declared !== emptySha256) throw sha256Mismatch()
}

async function* verify(request: S3Request, lengthBytes: number, checks: DigestCheck[]) {
  let receivedBytes = 0
  for await (const chunk of receive(request)) {
    receivedBytes += chunk.length
    for (const check of checks) check.update(chunk)
    yield chunk
  }
  if (receivedBytes !== lengthBytes) {
    throw new S3Error('IncompleteBody', 'The body is shorter than its Content-Length.')
  }
  for (const check of checks) {
    if (check.digest() !== check.expected) throw digestMismatch(check.refusal)
  }
}

/** Yields the received chunks. Also ends normally when the connection breaks: the length check detects missing bytes. */
async function* receive({ body }: S3Request): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch {
    return
  }
}

function refuseChunkedSignature({ headers, amz }: S3Request) {
  const isStreaming = amz.get('x-amz-content-sha256')?.startsWith('STREAMING-') ?? false
  const isChunked = headers.get('content-encoding')?.includes('aws-chunked') ?? false
  if (isStreaming || isChunked) {
    throw new S3Error('NotImplemented', 'Chunked (aws-chunked, STREAMING-*) payloads are not implemented.')
  }
}

function declaredLengthBytes({ headers }: S3Request): number {
  const length = headers.get('content-length')
  if (length === undefined) throw new S3Error('MissingContentLength', 'You must provide Content-Length.')
  return Number(length)
}

function declaredDigests({ headers, amz }: S3Request): DigestCheck[] {
  const checks: DigestCheck[] = []
  const payload = amz.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD'
  if (payload !== 'UNSIGNED-PAYLOAD') {
    checks.push(
      hashCheck('sha256', { expected: payload, encoding: 'hex', refusal: 'XAmzContentSHA256Mismatch' }),
    )
  }
  const md5 = headers.get('content-md5')
  if (md5 !== undefined)
    checks.push(hashCheck('md5', { expected: md5, encoding: 'base64', refusal: 'BadDigest' }))
  for (const [name, expected] of amz) {
    if (name.startsWith('x-amz-checksum-'))
      checks.push(checksum(name.slice('x-amz-checksum-'.length), expected))
  }
  return checks
}

function checksum(algorithm: string, expected: string): DigestCheck {
  if (algorithm === 'crc32') return crc32Check(expected)
  if (algorithm === 'sha1' || algorithm === 'sha256') {
    return hashCheck(algorithm, { expected, encoding: 'base64', refusal: 'BadDigest' })
  }
  throw new S3Error('NotImplemented', `The checksum ${algorithm} is not implemented.`)
}

interface Expectation {
  readonly expected: string
  readonly encoding: 'hex' | 'base64'
  readonly refusal: S3ErrorCode
}

function hashCheck(algorithm: string, { expected, encoding, refusal }: Expectation): DigestCheck {
  const hash = createHash(algorithm)
  return {
    expected,
    refusal,
    update: (chunk) => {
      hash.update(chunk)
    },
    digest: () => hash.digest(encoding),
  }
}

function crc32Check(expected: string): DigestCheck {
  let value = 0
  return {
    expected,
    refusal: 'BadDigest',
    update: (chunk) => {
      value = crc32(chunk, value)
    },
    digest: () => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(value)
      return bytes.toString('base64')
    },
  }
}

function digestMismatch(code: S3ErrorCode): S3Error {
  return code === 'XAmzContentSHA256Mismatch'
    ? sha256Mismatch()
    : new S3Error(code, 'A specified digest does not match the received body.')
}

function sha256Mismatch(): S3Error {
  return new S3Error(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' is not that of the body.",
  )
}
