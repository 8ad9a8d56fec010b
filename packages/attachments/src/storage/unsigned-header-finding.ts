import { type DoctorContext, type Finding, failed, ok, warning } from '@vertical-kit/core-audit/doctor'
import { doctorKeys, doctorObject, type StoreUnderTest } from './store-under-test.ts'

/**
 * Adds headers to uploads that their signature does not cover. AWS refuses them. Some stores, such as Ceph 16, execute them with
 * the rights of the service: a user can then copy any object of the bucket into an upload, or make an upload public.
 */
export async function unsignedHeaderFinding(
  store: StoreUnderTest,
  { signal }: DoctorContext,
): Promise<Finding> {
  const { bucket, publicEndpoint } = store.options.config
  const { url, headers } = await store.storage.signPut({ ...doctorObject, id: refusedId })
  const send = async (added: Record<string, string>, body = '') => {
    const response = await fetch(url, { method: 'PUT', headers: { ...headers, ...added }, body, signal })
    await response.body?.cancel()
    return response.ok
  }
  if (await send({ 'x-amz-copy-source': `/${bucket}/${doctorKeys.staged}` })) {
    return failed(
      'With a signed upload URL, a user can copy any object of the bucket by its id, and then download it.',
      'Add the statement with s3:x-amz-copy-source of the operation guide to the policy of Attachments__Storage__Bucket, or ' +
        'remove the headers x-amz-copy-source, x-amz-acl and x-amz-grant-* at Attachments__Storage__PublicEndpoint.',
    )
  }
  if (await send({ 'x-amz-acl': 'public-read' }, 'refused')) {
    const anonymous = await fetch(`${publicEndpoint}/${bucket}/uploads/${refusedId}`, { signal })
    await anonymous.body?.cancel()
    if (anonymous.ok) {
      return warning(
        'With a signed upload URL, a user can make an upload public. It stays in the store even if it is never completed.',
        'Remove the headers x-amz-acl and x-amz-grant-* at Attachments__Storage__PublicEndpoint.',
      )
    }
  }
  return ok('A signed URL executes no header that it does not cover.')
}

const refusedId = `${doctorObject.id}-refused`
