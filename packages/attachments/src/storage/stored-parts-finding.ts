import { isKitError } from '@vertical-kit/core-audit'
import { type DoctorContext, type Finding, failed, ok } from '@vertical-kit/core-audit/doctor'
import { doctorObject, type StoreUnderTest } from './store-under-test.ts'

/** Uploads an object in parts like a client, joins the parts like a completion, and then tries to change the object. */
export async function partsFinding(store: StoreUnderTest, context: DoctorContext): Promise<Finding> {
  try {
    return await joinedFinding(store, context)
  } catch (error) {
    if (!isKitError(error) || !(error.cause instanceof Error)) throw error
    return failed(
      `An upload in parts fails (${error.cause.message}).`,
      'Grant s3:PutObject and s3:ListMultipartUploadParts below attachments/ to Attachments__Storage__AccessKey.',
    )
  }
}

async function joinedFinding({ storage, body }: StoreUnderTest, { signal }: DoctorContext): Promise<Finding> {
  const upload = { id: doctorObject.id, uploadId: await storage.startParts(doctorObject) }
  const { url } = await storage.signPart({ ...upload, partNumber: 1, sizeBytes: body.byteLength })
  const send = async () => {
    const response = await fetch(url, { method: 'PUT', body, signal })
    await response.body?.cancel()
    return response
  }
  const sent = await send()
  if (!sent.ok) {
    return failed(
      `A signed part is refused (HTTP ${sent.status}).`,
      'Let a proxy before Attachments__Storage__PublicEndpoint keep the query and the header Host.',
    )
  }
  const parts = (await storage.listParts(upload)) ?? []
  const isListed = parts.length === 1 && parts[0]?.sizeBytes === body.byteLength
  const outcome = await storage.joinParts({ ...upload, parts, sizeBytes: body.byteLength })
  if (!isListed || outcome !== 'joined' || (await send()).ok) {
    return failed(
      'The store loses parts, or accepts them after they were joined.',
      'Use a store for Attachments__Storage__InternalEndpoint that supports multipart uploads.',
    )
  }
  return ok('A file can be uploaded in parts, which cannot be changed afterwards.')
}
