import { type DoctorContext, type Finding, failed, ok, warning } from '@vertical-kit/core-audit/doctor'
import { doctorKeys, refusedObject, type StoreUnderTest } from './store-under-test.ts'

/**
 * Adds headers to uploads that their signature does not cover. AWS refuses them. Some stores, such as Ceph 16 and MinIO, execute
 * them with the rights of the service: a user can then copy any object of the bucket into an upload, or make an upload public.
 */
export async function unsignedHeaderFinding(
  store: StoreUnderTest,
  { signal }: DoctorContext,
): Promise<Finding> {
  if (await copiesIntoUpload(store, signal)) {
    return failed(
      'With a signed upload URL, a user can copy any object of the bucket by its id, and then download it.',
      'Add the statement with s3:x-amz-copy-source of the operation guide to the policy of Attachments__Storage__Bucket, or ' +
        'remove the headers x-amz-copy-source*, x-amz-acl and x-amz-grant-* at Attachments__Storage__PublicEndpoint.',
    )
  }
  if (await copiesIntoPart(store, signal)) {
    return failed(
      'With the signed URL of a part, a user can copy any object of the bucket by its id, and then download it.',
      'Remove the headers x-amz-copy-source*, x-amz-acl and x-amz-grant-* at Attachments__Storage__PublicEndpoint. No policy ' +
        'can prevent these copies, because completions need the same right.',
    )
  }
  if (await publishesUpload(store, signal)) {
    return warning(
      'With a signed upload URL, a user can make an upload public. It stays in the store even if it is never completed.',
      'Remove the headers x-amz-acl and x-amz-grant-* at Attachments__Storage__PublicEndpoint.',
    )
  }
  return ok('A signed URL executes no header that it does not cover.')
}

const copySourceIn = ({ options }: StoreUnderTest) => ({
  'x-amz-copy-source': `/${options.config.bucket}/${doctorKeys.staged}`,
})

/** Returns false also if the store or a proxy ignores the header, because the upload is then empty. */
async function copiesIntoUpload(store: StoreUnderTest, signal: AbortSignal): Promise<boolean> {
  const { url, headers } = await store.storage.signPut(refusedObject)
  const { isOk } = await send(url, { headers: { ...headers, ...copySourceIn(store) }, body: '', signal })
  return isOk && (await store.storage.head(refusedObject.id))?.sizeBytes !== 0
}

/** Sends a body of the signed length with the header, and again without it. A copy has no ETag, or that of other bytes. */
async function copiesIntoPart(store: StoreUnderTest, signal: AbortSignal): Promise<boolean> {
  const { storage, body } = store
  const upload = { id: refusedObject.id, uploadId: await storage.startParts(refusedObject) }
  const sizeBytes = body.byteLength
  const { url } = await storage.signPart({ ...upload, partNumber: 1, sizeBytes })
  const other = body.map((byte) => ~byte)
  const copied = await send(url, { headers: copySourceIn(store), body: other, signal })
  const { isOk, etag } = await send(url, { headers: {}, body: other, signal })
  if (!isOk) throw new Error('The store refuses a part of the signed length')
  // Joined, the parts do not stay in the store.
  await storage.joinParts({ ...upload, sizeBytes, parts: [{ partNumber: 1, sizeBytes, etag }] })
  return copied.isOk && (copied.etag === '' || copied.etag !== etag)
}

async function publishesUpload({ storage, options }: StoreUnderTest, signal: AbortSignal): Promise<boolean> {
  const { bucket, publicEndpoint } = options.config
  const { url, headers } = await storage.signPut(refusedObject)
  const added = { ...headers, 'x-amz-acl': 'public-read' }
  if (!(await send(url, { headers: added, body: 'refused', signal })).isOk) return false
  const anonymous = await fetch(`${publicEndpoint}/${bucket}/uploads/${refusedObject.id}`, { signal })
  await anonymous.body?.cancel()
  return anonymous.ok
}

async function send(url: string, request: Pick<RequestInit, 'headers' | 'body' | 'signal'>) {
  const response = await fetch(url, { method: 'PUT', ...request })
  await response.body?.cancel()
  return { isOk: response.ok, etag: response.headers.get('etag') ?? '' }
}
