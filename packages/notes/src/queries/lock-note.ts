import { sql } from '@vertical-kit/core-audit'
import { type BusinessObjectReference, isUuid } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { NotesError } from '../errors.ts'
import type { notes } from '../schema.ts'

/** The stored note without the display names of its users. */
export interface LockedNote {
  readonly id: string
  readonly target: BusinessObjectReference
  readonly text: string
  readonly version: number
  readonly isDeleted: boolean
}

type Row = RowOf<typeof notes, 'id' | 'targetKind' | 'targetTypeCode' | 'targetId' | 'text' | 'version'> & {
  is_deleted: boolean
}

/**
 * Locks a note until the transaction ends and returns its latest committed state. The lock does not wait for transactions of the
 * application that refer to the note with a foreign key.
 *
 * The statement must not join other tables. After waiting for the lock, PostgreSQL reads the changed note again, but
 * reuses the old rows of the joined tables. If the last editor has changed, an inner join with the editor's name would
 * return no row.
 *
 * @throws {NotesError} notes.not_found
 */
export async function lockNote(tx: Tx, id: string): Promise<LockedNote> {
  if (!isUuid(id)) throw new NotesError('notes.not_found')
  const [row] = await tx.execute<Row>(sql`
    select id, target_kind, target_type_code, target_id, text, version, deleted_at is not null as is_deleted
    from notes.notes
    where id = ${id}::uuid
    for no key update`)
  if (row === undefined) throw new NotesError('notes.not_found')
  return {
    id: row.id,
    target: { kind: row.target_kind, typeCode: row.target_type_code, id: row.target_id },
    text: row.text,
    version: row.version,
    isDeleted: row.is_deleted,
  }
}
