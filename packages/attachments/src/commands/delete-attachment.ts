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
  /** Asked about the attachment as it is behind its lock: a completion may have made it ready. */
  readonly authorize: Authorize<Attachment>
}

/**
 * Marks an attachment for deletion, with its audit event: it leaves lists, counts and the quota at once; its stored
 * bytes stay. Idempotent. A completion under way finds it deleted.
 *
 * @throws {AttachmentsError} attachments.not_found; and whatever `authorize` throws
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
