import { recordAudit, type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { uploadExpired } from '../audit.ts'
import type { AttachmentsConfig } from '../config.ts'
import { type AttachmentRow, toAttachment } from '../queries/attachment-row.ts'

/**
 * Marks one batch of expired uploads as deleted, oldest first, and writes their audit events. Returns the number of
 * uploads in the batch. The statement skips rows that another transaction has locked, so any number of replicas can
 * expire uploads concurrently. It uses the index `attachments_pending_by_age`, and therefore compares with `now()`:
 * PostgreSQL cannot use an index for a comparison with `clock_timestamp()`, because its value changes continuously.
 */
export async function expireUploads(tx: Tx, config: AttachmentsConfig): Promise<number> {
  const rows = await tx.execute<AttachmentRow>(sql`
    with stale as (
      select id
      from attachments.attachments
      where status = 'pending'
        and created_at <= now() - ${staleAge(config)}
      order by created_at
      limit ${config.expirationBatchSize}
      for no key update skip locked
    )
    update attachments.attachments a
    set status = 'deleted', deleted_at = clock_timestamp(), seal_lease_id = null, seal_lease_until = null
    where a.id = any(array(select id from stale))
    returning a.*, '' as created_by_display_name`)
  await recordAudit(tx, ...rows.map((row) => uploadExpired(toAttachment(row))))
  return rows.length
}

/** An expression for the time at which the oldest pending upload expires. Uses the index `attachments_pending_by_age`. */
export const nextExpiryAt = (config: AttachmentsConfig): SQL<string | null> => sql<string | null>`(
  select min(created_at) + ${staleAge(config)}
  from attachments.attachments
  where status = 'pending'
)`

const staleAge = (config: AttachmentsConfig): SQL =>
  sql`${config.pendingStaleAgeMs}::float8 * interval '1 millisecond'`
