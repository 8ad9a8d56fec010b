import { CoreError } from '@vertical-kit/core-audit'
import { requirePermission } from '@vertical-kit/core-audit/access'
import type { ActivitySource } from '@vertical-kit/core-audit/objects'
import { selectNewestNotes } from './list-notes.ts'
import { type NoteRow, toNote } from './note-row.ts'

/** The notes in the activity of an object, at the time of their creation. */
export const notesActivity = ({ isEnabled }: { readonly isEnabled: boolean }): ActivitySource => ({
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
})
