import { auditInsert, sql, toInstant, toInstantOrNull } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { uploadCompleted, uploadRequested } from '../audit.ts'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { AttachmentsError } from '../errors.ts'
import type { Declaration } from '../policy.ts'
import { countActive } from '../queries/list-attachments.ts'
import type { attachments } from '../schema.ts'

export interface NewAttachment extends Declaration {
  /** A UUIDv7, because lists are sorted by id. */
  readonly id: string
  readonly target: BusinessObjectReference
  readonly actor: Actor
  /** The hash that the uploader declared, in base64. */
  readonly sha256?: string | null
  /** The size of the parts in which the bytes are sent; `null` for one request. */
  readonly partSizeBytes?: number | null
}

const events = { pending: uploadRequested, ready: uploadCompleted } as const

/**
 * Inserts an attachment and its audit event unless the business object has reached its limit. The caller must pass a
 * normalised declaration.
 *
 * Until the transaction ends, an advisory lock blocks other insertions for the same object. PostgreSQL takes the
 * snapshot of a statement before the statement runs. A separate, second statement counts the attachments, so that its
 * snapshot is newer than the lock and includes the rows of the transactions that had the lock before.
 *
 * @throws {AttachmentsError} attachments.count_limit_exceeded; the caller must roll the transaction back
 * @throws {TypeError} at REPEATABLE READ and SERIALIZABLE, because the snapshot there can be older than the lock
 */
export async function insertAttachment(
  tx: Tx,
  config: AttachmentsConfig,
  { status, ...input }: NewAttachment & { readonly status: keyof typeof events },
): Promise<Attachment> {
  const { maxActivePerObject } = config
  const { id, target, fileName, contentType, sizeBytes, actor, sha256 = null, partSizeBytes = null } = input
  const [[session], [row]] = await Promise.all([
    tx.execute<{ isolation: string }>(sql`
      select current_setting('transaction_isolation') as isolation, pg_advisory_xact_lock(
        hashtextextended(${`attachments/${target.kind}/${target.typeCode}/${target.id}`}, 0)
      )`),
    tx.execute<RowOf<typeof attachments, 'createdAt' | 'completedAt'>>(sql`
      with audit as (${auditInsert(tx, [events[status](input, actor)])})
      insert into attachments.attachments (
        id, target_kind, target_type_code, target_id, file_name, content_type, size_bytes, created_by_user_id,
        status, created_at, completed_at, sha256, part_size_bytes
      )
      select ${id}::uuid, ${target.kind}, ${target.typeCode}, ${target.id}::uuid,
        ${fileName}, ${contentType}, ${sizeBytes}::bigint, ${actor.userId}::uuid,
        ${status}, at.now, case when ${status} = 'ready' then at.now end, ${sha256}::text,
        ${partSizeBytes}::integer
      from (select clock_timestamp() as now) at
      where (${countActive(target)}) < ${maxActivePerObject}
      returning created_at, completed_at`),
  ])
  if (session?.isolation !== 'read committed') {
    throw new TypeError(
      `Attachments are counted at READ COMMITTED, and this transaction is ${session?.isolation}`,
    )
  }
  // The statement writes the audit event even if it inserts no attachment. This error rolls the event back.
  if (row === undefined) {
    throw new AttachmentsError('attachments.count_limit_exceeded', { context: { maxActivePerObject } })
  }
  return {
    id,
    target,
    fileName,
    contentType,
    sizeBytes,
    status,
    createdAtUtc: toInstant(row.created_at),
    createdByUserId: actor.userId,
    createdByDisplayName: actor.displayName,
    completedAtUtc: toInstantOrNull(row.completed_at),
    sha256,
  }
}
