import { sql } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { Note } from '../contract.ts'
import { type NoteRow, selectNote, toNote } from './note-row.ts'

/** Returns the note with this id, even if the note is deleted. Returns undefined if the id is unknown or malformed. */
export async function findNote(db: Db, id: string): Promise<Note | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await db.execute<NoteRow>(sql`${selectNote} where n.id = ${id}::uuid`)
  return row === undefined ? undefined : toNote(row)
}
