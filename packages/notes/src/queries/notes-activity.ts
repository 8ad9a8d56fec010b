import { CoreError } from '@vertical-kit/core-audit'
import { requirePermission } from '@vertical-kit/core-audit/access'
import type { ActivitySource } from '@vertical-kit/core-audit/objects'
import type { Note } from '../contract.ts'
import type { LinkNotes } from '../linkers.ts'
import { selectNewestNotes } from './list-notes.ts'
import { type NoteRow, toNote } from './note-row.ts'

export interface NotesActivityOptions {
  readonly isEnabled: boolean
  readonly link: LinkNotes
}

/** The notes in the activity of an object, at the time of their creation. */
export const notesActivity = ({ isEnabled, link }: NotesActivityOptions): ActivitySource => ({
  type: 'note',
  requireAccess(caller) {
    if (!isEnabled) throw new CoreError('feature.disabled')
    requirePermission(caller, 'system.notes.read')
  },
  select: selectNewestNotes,
  toContent(row: NoteRow) {
    const note = toNote(row)
    const { id, createdAtUtc, createdByUserId, createdByDisplayName, updatedByUserId } = note
    return {
      ...{ id, occurredAtUtc: createdAtUtc, content: { note }, userIds: [updatedByUserId] },
      actor: { userId: createdByUserId, displayName: createdByDisplayName, email: null },
    }
  },
  async complete(db, caller, contents: readonly { readonly note: Note }[]) {
    const notes = await link(
      (work) => work(db),
      caller,
      contents.map(({ note }) => note),
    )
    return notes.map((note) => ({ note }))
  },
})
