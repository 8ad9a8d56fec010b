import { type Finding, failed, failureCode, isCertificateFailure } from '@vertical-kit/core-audit/doctor'
import { httpStatusOf } from './store-failure.ts'

const prefix = 'Attachments__Storage__'

/** The explanations of S3's error codes. */
const answers: Readonly<Record<string, readonly [message: string, change: string]>> = {
  NoSuchBucket: ['The bucket does not exist.', `Create the bucket of ${prefix}Bucket, or correct its name.`],
  InvalidAccessKeyId: ['The store does not know the access key.', `Correct ${prefix}AccessKey.`],
  SignatureDoesNotMatch: [
    'The store rejects the signature.',
    `Correct ${prefix}SecretKey; a proxy before ${prefix}InternalEndpoint must keep the header Host.`,
  ],
  AuthorizationHeaderMalformed: ['The store rejects the region.', `Correct ${prefix}Region.`],
  PermanentRedirect: [
    'The bucket is in another region.',
    `Correct ${prefix}Region and ${prefix}InternalEndpoint.`,
  ],
  RequestTimeTooSkewed: [
    'The clocks of this machine and of the store differ too much.',
    'Synchronize the clocks of both machines (chrony or systemd-timesyncd).',
  ],
  AccessDenied: [
    'The keys lack rights.',
    `Grant the rights of the operation guide to ${prefix}AccessKey: s3:GetObject, s3:PutObject and s3:ListBucket.`,
  ],
}

/** Explains a failed call to the store. Codes come from the store or the network; no text of the store is shown. */
export function storeFailure(error: unknown): Finding {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const name = cause instanceof Error ? cause.name : ''
  const known = Object.hasOwn(answers, name) ? answers[name] : undefined
  if (known !== undefined) return failed(known[0], known[1])
  const status = httpStatusOf(error)
  if (status !== undefined) {
    return failed(
      `The store answers with HTTP ${status}.`,
      `Check ${prefix}InternalEndpoint and the log of the store.`,
    )
  }
  const code = failureCode(error)
  if (isCertificateFailure(code)) {
    return failed(
      `The certificate of the store is not accepted (${code}).`,
      `Correct ${prefix}InternalEndpoint or ${prefix}PublicEndpoint, or add the authority to NODE_EXTRA_CA_CERTS.`,
    )
  }
  return failed(
    `The store cannot be reached (${code}).`,
    `Correct ${prefix}InternalEndpoint and ${prefix}PublicEndpoint, or start the store.`,
  )
}
