import { timingSafeEqual } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { readClaim, type SignatureClaim } from './claim.ts'
import { S3Error } from './errors.ts'
import type { S3Request } from './request.ts'
import { Sha256 } from './sha256.ts'

/** One access key, with the names that S3 clients use. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface VerifierOptions {
  readonly credentials: readonly Credentials[]
  readonly region: string
  readonly clock: () => Date
}

/** Verifies that a known key signed the request. Throws an S3Error otherwise. */
export type VerifySignature = (request: S3Request) => Promise<void>

/** The maximum difference between the clocks of signer and store, as in S3. */
const maxSkewMs = 15 * 60_000

/**
 * Creates a verifier for AWS Signature Version 4. The verifier signs the received request again with AWS's signer and
 * compares the signatures. It signs only the headers that the client signed, so other headers have no influence.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 */
export function createVerifier({ credentials, region, clock }: VerifierOptions): VerifySignature {
  const signers = new Map(credentials.map((pair) => [pair.accessKeyId, createSigner(pair, region)]))

  return async (request) => {
    const claim = readClaim(request)
    const signer = signers.get(claim.accessKeyId)
    if (!signer) throw new S3Error('InvalidAccessKeyId', 'The access key does not exist in our records.')
    requireScope(claim, request, region)
    requireTime(claim, clock())
    requireSignedHeaders(claim, request)
    const expected = request.isPresigned
      ? await presignAgain(signer, claim, request)
      : await signAgain(signer, claim, request)
    if (!timingSafeEqual(Buffer.from(claim.signature), Buffer.from(expected))) {
      throw new S3Error('SignatureDoesNotMatch', 'The signature we calculated is not the one you provided.')
    }
  }
}

function requireScope(claim: SignatureClaim, request: S3Request, region: string) {
  const signedOn = claim.signedAt.toISOString().slice(0, 10).replaceAll('-', '')
  if (claim.region === region && claim.service === 's3' && claim.scopeDate === signedOn) return
  const code = request.isPresigned ? 'AuthorizationQueryParametersError' : 'AuthorizationHeaderMalformed'
  throw new S3Error(code, `The credential scope must be <date of the request>/${region}/s3/aws4_request.`)
}

function requireTime({ signedAt, expiresInSeconds }: SignatureClaim, now: Date) {
  const ageMs = now.getTime() - signedAt.getTime()
  if (expiresInSeconds === undefined) {
    if (Math.abs(ageMs) <= maxSkewMs) return
    throw new S3Error('RequestTimeTooSkewed', "The request time and the server's time differ too much.")
  }
  if (ageMs < -maxSkewMs) throw new S3Error('AccessDenied', 'Request is not valid yet')
  if (ageMs > expiresInSeconds * 1000) throw new S3Error('AccessDenied', 'Request has expired')
}

/** Requires that `host` and all `x-amz-*` headers are signed. `host` binds the signature to this store. */
function requireSignedHeaders({ signedHeaders }: SignatureClaim, { headers, isPresigned }: S3Request) {
  if (!signedHeaders.includes('host')) throw new S3Error('AccessDenied', 'The host header must be signed.')
  if (signedHeaders.some((name) => !headers.has(name))) {
    throw new S3Error('SignatureDoesNotMatch', 'A signed header is missing from the request.')
  }
  if ([...headers.keys()].some((name) => name.startsWith('x-amz-') && !signedHeaders.includes(name))) {
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed')
  }
  if (!isPresigned && !headers.has('x-amz-content-sha256')) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  }
}

async function signAgain(signer: SignatureV4, claim: SignatureClaim, request: S3Request): Promise<string> {
  const signed = await signer.sign(signable(claim, request), {
    signingDate: claim.signedAt,
    signableHeaders: new Set(claim.signedHeaders),
  })
  return signed.headers['authorization']?.split('Signature=')[1] ?? ''
}

async function presignAgain(signer: SignatureV4, claim: SignatureClaim, request: S3Request): Promise<string> {
  const signed = await signer.presign(withPayloadHash(signable(claim, request)), {
    signingDate: claim.signedAt,
    expiresIn: claim.expiresInSeconds ?? 0,
    signableHeaders: new Set(claim.signedHeaders),
    unhoistableHeaders: new Set(claim.signedHeaders),
  })
  return String(signed.query?.['X-Amz-Signature'])
}

type SignableRequest = Parameters<SignatureV4['presign']>[0]

function signable(claim: SignatureClaim, request: S3Request): SignableRequest {
  return {
    method: request.method,
    protocol: 'http:',
    hostname: request.headers.get('host') ?? '',
    path: request.path.split('/').map(encodeSegment).join('/'),
    query: Object.fromEntries(request.query),
    headers: Object.fromEntries(claim.signedHeaders.map((name) => [name, request.headers.get(name) ?? ''])),
    // Pass a stream. If the request declares no hash, the signer treats a stream as an unsigned payload, like S3.
    body: request.body,
  }
}

/** Moves the payload hash to the headers, the only place where the signer reads it. The signer moves it back. */
function withPayloadHash(request: SignableRequest): SignableRequest {
  const { 'X-Amz-Content-Sha256': payloadHash, ...query } = request.query ?? {}
  if (typeof payloadHash !== 'string') return request
  return { ...request, query, headers: { ...request.headers, 'X-Amz-Content-Sha256': payloadHash } }
}

/** Encodes all characters except the unreserved ones of RFC 3986. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function createSigner(credentials: Credentials, region: string): SignatureV4 {
  return new SignatureV4({
    service: 's3',
    region,
    credentials,
    uriEscapePath: false,
    applyChecksum: false,
    sha256: Sha256,
  })
}
