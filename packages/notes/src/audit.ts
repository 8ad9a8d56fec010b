import type { NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { LockedNote } from './queries/lock-note.ts'

/** The module name in all audit events of this package. */
export const auditModule = 'notes'

interface NoteEvent {
  readonly target: BusinessObjectReference
  readonly noteId: string
  readonly actor: Actor
}

/** Returns the audit event `notes.created`, which contains the initial text. */
export function noteCreated(event: NoteEvent & { readonly text: string }): NewAuditEvent {
  return {
    ...about(event, 'notes.created', 1),
    changes: [
      { fieldPath: 'text', oldValue: null, newValue: event.text },
      { fieldPath: 'version', oldValue: null, newValue: 1 },
    ],
  }
}

/** Returns the audit event `notes.updated`, which contains the text and the version before and after the edit. */
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

/** Returns the audit event `notes.mark_for_deletion`. It contains the last text, so the timeline still shows this text. */
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
