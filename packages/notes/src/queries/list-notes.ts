import { type SQL, sql } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import { takePage } from '@vertical-kit/core-audit/http'
import type { ActivityQuery, CountedTarget } from '@vertical-kit/core-audit/objects'
import type { NotePage } from '../contract.ts'
import { type NoteRow, selectNote, toNote } from './note-row.ts'

/** Selects a page of the notes of one object, newest first, at most `limit` notes. */
export interface ListNotes {
  readonly target: BusinessObjectReference
  readonly limit: number
  /** The id of the last note on the previous page, or `null` for the first page. */
  readonly cursor: string | null
}

/** Returns one page of an object's notes, newest first. Scans the index `notes_by_target`, starting at the cursor. */
export async function listNotes(db: Db, query: ListNotes): Promise<NotePage> {
  const after = query.cursor === null ? sql`` : sql`and n.id < ${query.cursor}::uuid`
  const rows = await db.execute<NoteRow>(sql`
    ${selectNote}
    where ${ofTarget(query.target)}
      ${after}
    order by n.id desc
    limit ${query.limit + 1}`)
  const { items, last } = takePage(rows, query.limit)
  return { items: items.map(toNote), nextCursor: last?.id ?? null }
}

/** Builds the statement of an object's newest notes in its activity. Scans the index `notes_by_target`. */
export function selectNewestNotes({ target, actorUserId, limit, within }: ActivityQuery): SQL {
  return sql`
    ${selectNote}
    where ${ofTarget(target)}
      ${actorUserId === null ? sql`` : sql`and n.created_by_user_id = ${actorUserId}::uuid`}
      ${within({ id: sql`n.id`, at: sql`n.created_at` })}
    order by n.id desc
    limit ${limit}`
}

/** Builds the subquery that counts the notes of an object. The subquery uses the index `notes_by_target`. */
export function countNotes(target: CountedTarget): SQL {
  return sql`select count(*) from notes.notes n where ${ofTarget(target)}`
}

function ofTarget(target: CountedTarget): SQL {
  return sql`n.target_id = ${target.id}::uuid
      and n.target_type_code = ${target.typeCode}
      and n.target_kind = ${target.kind}
      and n.deleted_at is null`
}
