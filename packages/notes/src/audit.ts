import type { AuditSource, NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { LockedNote } from './queries/lock-note.ts'

/** The module name in all audit events of this package. */
export const auditModule = 'notes'

interface NoteEvent {
  readonly target: BusinessObjectReference
  readonly noteId: string
  readonly actor: Actor
  /** The users that the texts mention, before and after the change, without those who could not read the object. */
  readonly mentionedUserIds: readonly string[]
}

type ChangeOfText = Pick<NoteEvent, 'actor' | 'mentionedUserIds'>

/** Returns the users that the texts of an event mention. */
export const peopleInNoteEvent: NonNullable<AuditSource['peopleIn']> = ({ metadata }) => {
  const mentioned = metadata?.['mentionedUserIds']
  return { userIds: Array.isArray(mentioned) ? mentioned : [] }
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
  { text, version, ...by }: { text: string; version: number } & ChangeOfText,
): NewAuditEvent {
  return {
    ...about({ target: before.target, noteId: before.id, ...by }, 'notes.updated', version),
    changes: [
      { fieldPath: 'text', oldValue: before.text, newValue: text },
      { fieldPath: 'version', oldValue: before.version, newValue: version },
    ],
  }
}

/** Returns the audit event `notes.mark_for_deletion`. It contains the last text, so the timeline still shows this text. */
export function noteDeleted(note: LockedNote, by: ChangeOfText): NewAuditEvent {
  return {
    ...about({ target: note.target, noteId: note.id, ...by }, 'notes.mark_for_deletion', note.version),
    changes: [
      { fieldPath: 'text', oldValue: note.text, newValue: null },
      { fieldPath: 'isDeleted', oldValue: false, newValue: true },
    ],
  }
}

function about(
  { target, noteId, actor, mentionedUserIds }: NoteEvent,
  actionCode: string,
  version: number,
): NewAuditEvent {
  return {
    module: auditModule,
    target,
    actionCode,
    actorUserId: actor.userId,
    correlationId: actor.correlationId,
    metadata: { noteId, version, ...(mentionedUserIds.length > 0 && { mentionedUserIds }) },
  }
}
