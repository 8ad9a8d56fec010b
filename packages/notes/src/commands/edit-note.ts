import { type Actor, auditInsert, type Tx } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { noteUpdated } from '../audit.ts'
import type { NotesConfig } from '../config.ts'
import type { Note } from '../contract.ts'
import { NotesError } from '../errors.ts'
import { checkEdit, normalizeText } from '../policy.ts'
import { findNote } from '../queries/find-note.ts'
import { lockNote } from '../queries/lock-note.ts'

export interface EditNote {
  readonly id: string
  readonly text: string
  /** The version the author saw. */
  readonly version: number
  readonly actor: Actor
}

/**
 * Replaces a note's text. Of several edits at one version exactly one succeeds: the row is locked before its version
 * is compared. Whether the author may see and change the note is for the caller to have asked.
 *
 * @throws {NotesError} notes.not_found · notes.version_conflict · notes.deleted · notes.text_required · notes.text_too_long ·
 *   notes.text_invalid
 */
export async function editNote(tx: Tx, config: NotesConfig, input: EditNote): Promise<Note> {
  const text = normalizeText(input.text, config.maxTextChars)
  const before = await lockNote(tx, input.id)
  if (before === undefined) throw new NotesError('notes.not_found')
  checkEdit(before, input.version)
  const version = before.version + 1
  const [, note] = await Promise.all([
    tx.execute(sql`
      with audit as (${auditInsert([noteUpdated(before, { text, version }, input.actor)])})
      update notes.notes
      set text = ${text}, version = ${version},
        updated_at = clock_timestamp(), updated_by_user_id = ${input.actor.userId}::uuid
      where id = ${before.id}::uuid`),
    findNote(tx, before.id),
  ])
  if (note === undefined) throw new Error('An edited note could not be read back')
  return note
}
