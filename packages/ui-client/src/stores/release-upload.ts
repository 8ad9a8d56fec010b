import type { Session } from '../session/session.ts'
import type { Attachment } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { UploadJob } from './upload-job.ts'

/** Number of files in which a kept file is searched: the newest, because it has just been uploaded. */
const newestCount = 100

/**
 * Releases an unused reservation, for which the permission to upload is sufficient. If the request fails, the reservation
 * expires automatically. If a completion has made the file ready, it stays, because the response of the completion can be lost:
 * then resolves with the file, otherwise with null.
 */
export async function releaseUpload(
  job: UploadJob,
  session: Session,
  target: BusinessObjectReference,
): Promise<Attachment | null> {
  const { attachmentId, next } = job
  job.attachmentId = null
  job.target = null
  if (attachmentId === null) return null
  const { attachments } = session.client
  const { signal } = session
  const release = async (): Promise<Attachment | undefined> => {
    await attachments.delete(attachmentId, { signal, unlessReady: true })
    if (next !== 'verifying') return undefined
    const { items } = await attachments.list({ target, limit: newestCount, signal })
    return items.find(({ id }) => id === attachmentId)
  }
  const kept = (await release().catch(() => undefined)) ?? null
  if (kept === null && job.signal.aborted) session.announce({ kind: 'content', target })
  return kept
}
