import type { NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { LockedNote } from './queries/lock-note.ts'

/** The `module` of all audit events of this package. */
export const auditModule = 'notes'

interface NoteEvent {
  readonly target: BusinessObjectReference
  readonly noteId: string
  readonly actor: Actor
}

/** Builds `notes.created`, with the initial text. */
export function noteCreated(event: NoteEvent & { readonly text: string }): NewAuditEvent {
  return {
    ...about(event, 'notes.created', 1),
    changes: [
      { fieldPath: 'text', oldValue: null, newValue: event.text },
      { fieldPath: 'version', oldValue: null, newValue: 1 },
    ],
  }
}

/** Builds `notes.updated`, with text and version before and after the edit. */
export function noteUpdated(
  before: LockedNote,
  after: { text: string; version: number },
  actor: Actor,
): NewAuditEvent {
  return {
    ...about({ target: before.target, noteId: before.id, actor }, 'notes.updated', after.version),
    changes: [
      { fieldPath: 'text', oldValue: before.text, newValue: after.text },
      { fieldPath: 'version', oldValue: before.version, newValue: after.version },
    ],
  }
}

/** Builds `notes.mark_for_deletion`, with the last text: after the deletion only the timeline shows it. */
export function noteDeleted(note: LockedNote, actor: Actor): NewAuditEvent {
  return {
    ...about({ target: note.target, noteId: note.id, actor }, 'notes.mark_for_deletion', note.version),
    changes: [
      { fieldPath: 'text', oldValue: note.text, newValue: null },
      { fieldPath: 'isDeleted', oldValue: false, newValue: true },
    ],
  }
}

function about({ target, noteId, actor }: NoteEvent, actionCode: string, version: number): NewAuditEvent {
  return {
    module: auditModule,
    target,
    actionCode,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    metadata: { noteId, version },
  }
}
