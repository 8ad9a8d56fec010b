import type { Attachment } from '../contract.ts'
import { AttachmentsError } from '../errors.ts'
import { checkParts, type Multipart } from '../parts.ts'
import { checkStaged } from '../policy.ts'
import type { ObjectStorage } from '../storage/object-storage.ts'

/**
 * Joins the parts of an upload to the final file. The parts must match the declaration, by the list of the store. The store
 * joins exactly the listed parts, and only once, so no later part and no late call of another attempt can change the file. If
 * the response of the store is lost, the next attempt finds the joined file.
 *
 * @throws {AttachmentsError} attachments.upload_missing · size_mismatch · content_type_mismatch · upload_changed ·
 *   storage_unavailable
 */
export async function joinUploadedParts(
  storage: ObjectStorage,
  attachment: Attachment,
  multipart: Multipart,
): Promise<void> {
  const { id, sizeBytes } = attachment
  const { uploadId, partSizeBytes } = multipart
  if (uploadId === null) throw new AttachmentsError('attachments.upload_missing')
  const stored = await storage.listParts({ id, uploadId })
  // The store forgets an upload once its parts are joined.
  if (stored !== null) {
    const parts = checkParts({ sizeBytes, partSizeBytes }, stored)
    const outcome = await storage.joinParts({ id, uploadId, parts, sizeBytes })
    if (outcome === 'changed') throw new AttachmentsError('attachments.upload_changed')
  }
  checkStaged(attachment, await storage.headJoined(id))
}
