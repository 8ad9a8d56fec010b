import { type SQL, sql } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import { takePage } from '@vertical-kit/core-audit/http'
import type { ActivityQuery, CountedTarget } from '@vertical-kit/core-audit/objects'
import type { AttachmentPage } from '../contract.ts'
import { type AttachmentRow, attachmentColumns, fromAttachments, toAttachment } from './attachment-row.ts'

export interface ListAttachments {
  readonly target: BusinessObjectReference
  readonly limit: number
  /** The id of the last attachment on the previous page. */
  readonly cursor: string | null
}

/** Returns one page of an object's ready attachments, newest first. Scans the index `attachments_by_target`. */
export async function listAttachments(db: Db, query: ListAttachments): Promise<AttachmentPage> {
  const after = query.cursor === null ? sql`` : sql`and a.id < ${query.cursor}::uuid`
  const rows = await db.execute<AttachmentRow>(sql`
    select ${attachmentColumns}
    ${fromAttachments}
    where ${ofTarget(query.target)}
      and a.status = 'ready'
      ${after}
    order by a.id desc
    limit ${query.limit + 1}`)
  const { items, last } = takePage(rows, query.limit)
  return { items: items.map(toAttachment), nextCursor: last?.id ?? null }
}

/** Builds the statement of an object's newest ready files in its activity. Scans the index `attachments_by_target`. */
export function selectNewestAttachments({ target, actorUserId, limit, within }: ActivityQuery): SQL {
  return sql`
    select ${attachmentColumns}
    ${fromAttachments}
    where ${ofTarget(target)}
      and a.status = 'ready'
      ${actorUserId === null ? sql`` : sql`and a.created_by_user_id = ${actorUserId}::uuid`}
      ${within({ id: sql`a.id`, at: sql`a.created_at` })}
    order by a.id desc
    limit ${limit}`
}

/** Builds the subquery that counts the ready attachments of an object. It uses the index `attachments_by_target`. */
export function countAttachments(target: CountedTarget): SQL {
  return sql`select count(*) from attachments.attachments a where ${ofTarget(target)} and a.status = 'ready'`
}

/** Builds the subquery that counts ready attachments and pending uploads. Its index is `attachments_active_by_target`. */
export function countActive(target: CountedTarget): SQL {
  return sql`select count(*) from attachments.attachments a where ${ofTarget(target)} and a.deleted_at is null`
}

function ofTarget(target: CountedTarget): SQL {
  return sql`a.target_id = ${target.id}::uuid
      and a.target_type_code = ${target.typeCode}
      and a.target_kind = ${target.kind}`
}
