import { toInstant } from '@vertical-kit/core-audit'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { Note } from '../contract.ts'
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
> & { is_deleted: boolean; created_by_display_name: string; updated_by_display_name: string }

/** Selects {@link NoteRow} from the notes table `n`. The statement must add a `where` clause. Unknown names are empty. */
export const selectNote: SQL = sql`
    select n.id, n.target_kind, n.target_type_code, n.target_id, n.text, n.version,
      n.deleted_at is not null as is_deleted,
      n.created_at, n.created_by_user_id, coalesce(author.display_name, '') as created_by_display_name,
      n.updated_at, n.updated_by_user_id, coalesce(editor.display_name, '') as updated_by_display_name
    from notes.notes n
    left join core_audit.user_names author on author.id = n.created_by_user_id
    left join core_audit.user_names editor on editor.id = n.updated_by_user_id`

/** Converts a row into the `Note` of the wire format. */
export function toNote(row: NoteRow): Note {
  return {
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
  }
}
