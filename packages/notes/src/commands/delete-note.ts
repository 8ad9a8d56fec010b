import { auditInsert, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { noteDeleted } from '../audit.ts'
import type { Note } from '../contract.ts'
import { decideDeletion, mentionsIn } from '../policy.ts'
import { findNote } from '../queries/find-note.ts'
import { listMentioned } from '../queries/list-mentioned.ts'
import { lockNote } from '../queries/lock-note.ts'

/** A note to delete. `authorize` checks the author's rights after the note is locked. */
export interface DeleteNote {
  readonly id: string
  /** The version of the note when the user loaded it. A repeated deletion does not check it. */
  readonly version: number | null
  readonly actor: Actor
  readonly authorize: Authorize
}

/**
 * Marks a note as deleted and writes the audit event. Lists and counts then exclude the note, but the timeline keeps its
 * last text. Locks the row before the checks of access and version. The function is idempotent: a repeat checks the
 * access again and returns the deleted note.
 *
 * @throws {NotesError} notes.not_found · notes.version_conflict; also the errors of `authorize`
 * @throws {CoreError} request.invalid if the first deletion has no version
 */
export async function deleteNote(tx: Tx, input: DeleteNote): Promise<Note> {
  const before = await lockNote(tx, input.id)
  await input.authorize(tx, before.target)
  if (decideDeletion(before, input.version) === 'delete') {
    const userIds = mentionsIn(before.text)
    const mentioned = userIds.length === 0 ? null : await listMentioned(tx, before.id)
    const mentionedUserIds = userIds.filter((userId) => mentioned?.has(userId))
    const by = { actor: input.actor, mentionedUserIds }
    await tx.execute(sql`
      with audit as (${auditInsert(tx, [noteDeleted(before, by)])})
      update notes.notes set deleted_at = clock_timestamp() where id = ${before.id}::uuid`)
  }
  const note = await findNote(tx, before.id)
  if (note === undefined) throw new Error('The deleted note was not found')
  return note
}
