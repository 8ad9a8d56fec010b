import { type SQL, sql, toInstant } from '@vertical-kit/core-audit'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { Mention, Note } from '../contract.ts'
import { findAddresses, inOrderOf } from '../policy.ts'
import type { notes } from '../schema.ts'

/** The row type of every statement that returns notes. It includes the names of the author and the last editor. */
export type NoteRow = RowOf<
  typeof notes,
  | 'id'
  | 'targetKind'
  | 'targetTypeCode'
  | 'targetId'
  | 'text'
  | 'version'
  | 'createdAt'
  | 'createdByUserId'
  | 'updatedAt'
  | 'updatedByUserId'
> & {
  is_deleted: boolean
  created_by_display_name: string
  updated_by_display_name: string
  mentions: Mention[] | null
}

/** The current mentions of note `n`, with current names. Notes without a mention read no table. */
const mentions = sql`
      case when strpos(n.text, '@[') > 0 then (
        select jsonb_agg(jsonb_build_object('userId', m.user_id, 'displayName', u.display_name))
        from notes.mentions m
        join core_audit.user_names u on u.id = m.user_id
        where m.note_id = n.id and m.is_current
      ) end as mentions`

/** Selects {@link NoteRow} from the notes table `n`. The statement must add a `where` clause. Unknown names are empty. */
export const selectNote: SQL = sql`
    select n.id, n.target_kind, n.target_type_code, n.target_id, n.text, n.version,
      n.deleted_at is not null as is_deleted,
      n.created_at, n.created_by_user_id, coalesce(author.display_name, '') as created_by_display_name,
      n.updated_at, n.updated_by_user_id, coalesce(editor.display_name, '') as updated_by_display_name,
      ${mentions}
    from notes.notes n
    left join core_audit.user_names author on author.id = n.created_by_user_id
    left join core_audit.user_names editor on editor.id = n.updated_by_user_id`

/** Converts a row into the `Note` of the wire format. Its links are the web addresses. */
export function toNote(row: NoteRow): Note {
  const note: Note = {
    id: row.id,
    target: { kind: row.target_kind, typeCode: row.target_type_code, id: row.target_id },
    text: row.text,
    version: row.version,
    isDeleted: row.is_deleted,
    createdAtUtc: toInstant(row.created_at),
    createdByUserId: row.created_by_user_id,
    createdByDisplayName: row.created_by_display_name,
    updatedAtUtc: toInstant(row.updated_at),
    updatedByUserId: row.updated_by_user_id,
    updatedByDisplayName: row.updated_by_display_name,
    mentions: row.mentions === null ? [] : inOrderOf(row.text, row.mentions),
  }
  // Only the few notes with links are copied: a list creates up to a hundred notes.
  const addresses = findAddresses(row.text)
  return addresses.length === 0 ? note : { ...note, links: [...addresses] }
}
