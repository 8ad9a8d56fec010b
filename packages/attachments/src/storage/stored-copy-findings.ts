import { CopyObjectCommand, type CopyObjectCommandInput } from '@aws-sdk/client-s3'
import { type DoctorContext, type Finding, failed, ok, warning } from '@vertical-kit/core-audit/doctor'
import { isConditionFailed } from './store-failure.ts'
import { doctorKeys, doctorObject, type StoreUnderTest } from './store-under-test.ts'

/**
 * Copies the upload like a completion. A copy with a wrong ETag, and one over an existing object, must be refused. A store
 * that ignores these conditions is usable: a completion verifies each copy, but a refused one can leave an object behind.
 */
export async function copyFinding(store: StoreUnderTest, { signal }: DoctorContext): Promise<Finding> {
  const head = await store.storage.head(doctorObject.id)
  if (head === null)
    return failed('The upload has disappeared.', 'Remove expiry rules from Attachments__Storage__Bucket.')
  const copied = await copy(store, { CopySourceIfMatch: `"${head.etag}"` }, signal)
  if (copied !== head.etag) {
    return failed(
      'A copy has another ETag than its source, so no upload can be completed.',
      'Turn off encryption with KMS or customer keys for the bucket of Attachments__Storage__Bucket.',
    )
  }
  const wrong = await copy(store, { CopySourceIfMatch: '"00000000000000000000000000000000"' }, signal)
  const again = await copy(store, { CopySourceIfMatch: `"${head.etag}"`, IfNoneMatch: '*' }, signal)
  const ignored = [
    ...(wrong === null ? [] : ['the ETag of the source']),
    ...(again === null ? [] : ['an existing object']),
  ]
  if (ignored.length === 0) return ok('The store copies objects and honours the conditions of copies.')
  return warning(
    `The store ignores the condition of a copy on ${ignored.join(' and on ')}. Completions still detect changed uploads.`,
    'Prefer a store for Attachments__Storage__InternalEndpoint that supports conditional copies.',
  )
}

/** Returns the ETag of the copy, or `null` if a condition was not met. */
async function copy(
  { client, options }: StoreUnderTest,
  conditions: Pick<CopyObjectCommandInput, 'CopySourceIfMatch' | 'IfNoneMatch'>,
  abortSignal: AbortSignal,
): Promise<string | null> {
  const { bucket: Bucket } = options.config
  const input: CopyObjectCommandInput = {
    ...{ Bucket, Key: doctorKeys.sealed, CopySource: `${Bucket}/${doctorKeys.staged}` },
    ...{ MetadataDirective: 'REPLACE', ContentType: doctorObject.contentType, ...conditions },
  }
  try {
    const { CopyObjectResult: result } = await client.send(new CopyObjectCommand(input), { abortSignal })
    return result?.ETag?.replaceAll('"', '') ?? ''
  } catch (error) {
    if (isConditionFailed(error)) return null
    throw error
  }
}

/** Downloads the copy like a browser, and checks the headers that prevent it from opening in the page. */
export async function downloadFinding(store: StoreUnderTest, { signal }: DoctorContext): Promise<Finding> {
  const { url } = await store.storage.signGet({ ...doctorObject, fileName: 'doctor.txt' })
  const response = await fetch(url, { signal })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (!response.ok) {
    return failed(
      `A signed download is refused (HTTP ${response.status}).`,
      'Grant s3:GetObject below attachments/ to Attachments__Storage__AccessKey, and let a proxy before ' +
        'Attachments__Storage__PublicEndpoint keep the header Host.',
    )
  }
  const isAttachment = response.headers.get('content-disposition')?.startsWith('attachment') === true
  const isOpaque = response.headers.get('content-type') === 'application/octet-stream'
  if (isAttachment && isOpaque && bytes.equals(store.body))
    return ok('A signed URL downloads the bytes as a file.')
  return failed(
    'A download has other bytes or headers than requested.',
    'Use a store for Attachments__Storage__PublicEndpoint that supports response-content-disposition, and no proxy that ' +
      'changes responses.',
  )
}
