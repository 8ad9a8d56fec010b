import { sql } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { AttachmentsError } from '../errors.ts'
import type { ObjectStorage } from '../storage/object-storage.ts'

export interface StartPartsServices {
  readonly database: Database
  readonly storage: ObjectStorage
}

/**
 * Starts an upload in parts in the store and returns its id there. If requests do this at the same time, all of them return
 * the id that was recorded first, and the store never receives a part of the others. No connection is open during the call to
 * the store.
 *
 * @throws {AttachmentsError} attachments.deleted · storage_unavailable
 */
export async function startParts(
  { database, storage }: StartPartsServices,
  file: { readonly id: string; readonly contentType: string },
): Promise<string> {
  const started = await storage.startParts(file)
  const [row] = await database.statement((tx) =>
    tx.execute<{ upload_id: string }>(sql`
      update attachments.attachments
      set multipart_upload_id = coalesce(multipart_upload_id, ${started})
      where id = ${file.id}::uuid and status = 'pending'
      returning multipart_upload_id as upload_id`),
  )
  // Without a part, the upload cannot have been completed.
  if (row === undefined) throw new AttachmentsError('attachments.deleted')
  return row.upload_id
}
