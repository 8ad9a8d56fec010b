import { auditInsert, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { markedForDeletion } from '../audit.ts'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { lockAttachment } from '../queries/lock-attachment.ts'

export interface DeleteAttachment {
  readonly id: string
  readonly actor: Actor
  /** Receives the locked attachment, because a completion may have made the attachment ready since the first check. */
  readonly authorize: Authorize<Attachment>
  /** Leaves the attachment as it is if its upload is completed. */
  readonly unlessReady?: boolean
}

/**
 * Marks an attachment as deleted and writes the audit event. Lists, counts and the limit of the object then exclude the
 * attachment. The store keeps the bytes. A completion in progress fails with attachments.deleted, and the result of a scan in
 * progress is ignored. A quarantined file keeps its status. The function is idempotent.
 *
 * @throws {AttachmentsError} attachments.not_found; also the errors of `authorize`
 */
export async function deleteAttachment(
  tx: Tx,
  config: AttachmentsConfig,
  input: DeleteAttachment,
): Promise<void> {
  const { attachment } = await lockAttachment(tx, config, input.id)
  if (input.unlessReady && attachment.completedAtUtc !== null) return
  await input.authorize(tx, attachment)
  if (attachment.status === 'deleted' || attachment.status === 'quarantined') return
  await tx.execute(sql`
    with audit as (${auditInsert(tx, [markedForDeletion(attachment, input.actor)])})
    update attachments.attachments
    set status = 'deleted', deleted_at = clock_timestamp(), seal_lease_id = null, seal_lease_until = null,
      scan_due_at = null
    where id = ${attachment.id}::uuid`)
}
