import { auditInsert, toInstant } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { sql } from 'drizzle-orm/sql'
import { uploadRequested } from '../audit.ts'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { AttachmentsError } from '../errors.ts'
import type { Declaration } from '../policy.ts'
import { countActive } from '../queries/list-attachments.ts'
import type { attachments } from '../schema.ts'

export interface ReserveUpload extends Declaration {
  /** A UUIDv7: lists are in its order. */
  readonly id: string
  readonly target: BusinessObjectReference
  readonly actor: Actor
}

/**
 * Reserves a place for an upload, with its audit event, unless the object has all it may have. Takes a normalised
 * declaration.
 *
 * Reservations of one object wait for each other on an advisory lock until the transaction ends. Counting comes in a
 * statement of its own, behind the lock: the snapshot of a statement that took the lock itself would be older than the
 * wait and miss what the others have reserved meanwhile.
 *
 * @throws {AttachmentsError} attachments.count_limit_exceeded; the transaction must not go on
 */
export async function reserveUpload(
  tx: Tx,
  config: AttachmentsConfig,
  input: ReserveUpload,
): Promise<Attachment> {
  const { maxActivePerObject } = config
  const { id, target, fileName, contentType, sizeBytes, actor } = input
  const [, [row]] = await Promise.all([
    tx.execute(sql`
      select pg_advisory_xact_lock(
        hashtextextended(${`attachments/${target.kind}/${target.typeCode}/${target.id}`}, 0)
      )`),
    tx.execute<RowOf<typeof attachments, 'createdAt'>>(sql`
      with audit as (${auditInsert([uploadRequested(input, actor)])})
      insert into attachments.attachments (
        id, target_kind, target_type_code, target_id, file_name, content_type, size_bytes, created_by_user_id
      )
      select ${id}::uuid, ${target.kind}, ${target.typeCode}, ${target.id}::uuid,
        ${fileName}, ${contentType}, ${sizeBytes}::bigint, ${actor.userId}::uuid
      where (${countActive(target)}) < ${maxActivePerObject}
      returning created_at`),
  ])
  // The event is written either way: refusing rolls it back.
  if (row === undefined) {
    throw new AttachmentsError('attachments.count_limit_exceeded', { context: { maxActivePerObject } })
  }
  return {
    id,
    target,
    fileName,
    contentType,
    sizeBytes,
    status: 'pending',
    createdAtUtc: toInstant(row.created_at),
    createdByUserId: actor.userId,
    createdByDisplayName: actor.displayName,
    completedAtUtc: null,
  }
}
