import { CoreError, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { insertAttachment, type NewAttachment } from './insert-attachment.ts'

/**
 * Inserts a pending attachment and its audit event, unless the business object or the user has reached the limit.
 * @throws {AttachmentsError} attachments.count_limit_exceeded
 * @throws {CoreError} request.rate_limited; the caller must roll the transaction back after each of these errors
 */
export async function reserveUpload(
  tx: Tx,
  config: AttachmentsConfig,
  input: NewAttachment,
): Promise<Attachment> {
  const inserting = () => insertAttachment(tx, config, { ...input, status: 'pending' })
  const { maxPendingPerUser } = config
  if (maxPendingPerUser === null) return inserting()
  const [pendingCount, attachment] = await Promise.all([
    countPending(tx, input.actor.userId, maxPendingPerUser),
    inserting(),
  ])
  if (pendingCount >= maxPendingPerUser) {
    throw new CoreError('request.rate_limited', {
      detail: 'Too many of your uploads are in progress. Complete or cancel some of them.',
      context: { policy: 'pendingUploads', max: maxPendingPerUser },
      // Uploads usually end within seconds.
      headers: {
        'Retry-After': '5',
        'RateLimit-Policy': `"pendingUploads";q=${maxPendingPerUser}`,
        RateLimit: '"pendingUploads";r=0',
      },
    })
  }
  return attachment
}

/**
 * Counts the uploads in progress of a user, including files that are scanned, up to `max`. Until the transaction ends, an
 * advisory lock blocks other reservations of the user. It is always taken before the lock of a business object, so the two
 * cannot deadlock. The count is a separate statement, so that its snapshot is newer than the lock.
 */
async function countPending(tx: Tx, userId: string, max: number): Promise<number> {
  const [, [row]] = await Promise.all([
    tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`attachments/user/${userId}`}, 0))`),
    // Scans `attachments_pending_by_age` and `attachments_scanning_by_due`, which contain only uploads in progress.
    tx.execute<{ count: number }>(sql`
      select count(*)::int as count
      from (
        select from attachments.attachments
        where status = 'pending' and created_by_user_id = ${userId}::uuid
        union all
        select from attachments.attachments
        where status = 'scanning' and created_by_user_id = ${userId}::uuid
        limit ${max}
      ) pending`),
  ])
  return row?.count ?? 0
}
