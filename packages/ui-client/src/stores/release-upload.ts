import type { Session } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { UploadJob } from './upload-job.ts'

/**
 * Releases an unused reservation, for which the permission to upload is sufficient. If the request fails, the reservation
 * expires automatically. If a completion has made the file ready, it stays: the response of the completion can be lost.
 */
export async function releaseUpload(
  job: UploadJob,
  session: Session,
  target: BusinessObjectReference,
): Promise<void> {
  const { attachmentId } = job
  job.attachmentId = null
  job.target = null
  if (attachmentId === null) return
  await session.client.attachments
    .delete(attachmentId, { signal: session.signal, unlessReady: true })
    .catch(() => {})
  if (job.signal.aborted) session.announce({ kind: 'content', target })
}
