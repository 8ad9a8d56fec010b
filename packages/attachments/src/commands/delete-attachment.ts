import { auditInsert } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { sql } from 'drizzle-orm/sql'
import { markedForDeletion } from '../audit.ts'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { lockAttachment } from '../queries/lock-attachment.ts'

export interface DeleteAttachment {
  readonly id: string
  readonly actor: Actor
  /** Called with the locked attachment, because a completion may have made it ready since the first check. */
  readonly authorize: Authorize<Attachment>
}

/**
 * Marks an attachment for deletion and writes its audit event. The attachment immediately leaves lists, counts and the
 * quota; its stored bytes stay. Idempotent. A completion in progress fails with attachments.deleted.
 *
 * @throws {AttachmentsError} attachments.not_found; also the errors of `authorize`
 */
export async function deleteAttachment(
  tx: Tx,
  config: AttachmentsConfig,
  input: DeleteAttachment,
): Promise<void> {
  const { attachment } = await lockAttachment(tx, config, input.id)
  await input.authorize(tx, attachment)
  if (attachment.status === 'deleted') return
  await tx.execute(sql`
    with audit as (${auditInsert([markedForDeletion(attachment, input.actor)])})
    update attachments.attachments
    set status = 'deleted', deleted_at = clock_timestamp(), seal_lease_id = null, seal_lease_until = null
    where id = ${attachment.id}::uuid`)
}
