import type { Actor } from '@vertical-kit/core-audit/access'
import { BusinessObjectReference, Id } from '@vertical-kit/core-audit/contract'
import type { EventDescriptor, NewOutboxEvent } from '@vertical-kit/core-audit/outbox'
import * as v from 'valibot'
import { auditModule } from './audit.ts'

/** The data of the event: users that a note mentions for the first time, without its author. Check their rights again. */
export const NoteMentionedData = v.object({
  noteId: Id,
  target: BusinessObjectReference,
  userIds: v.array(Id),
})
export type NoteMentionedData = v.InferOutput<typeof NoteMentionedData>

/** The event of new mentions in a note. Its subject is `note/<id>`. The Work Center turns it into notifications. */
export const noteMentioned = {
  type: 'notes.mentioned',
  schema: NoteMentionedData,
} satisfies EventDescriptor

/** Creates the event. */
export const mentionedEvent = (data: NoteMentionedData, actor: Actor): NewOutboxEvent => ({
  type: noteMentioned.type,
  source: auditModule,
  subject: `note/${data.noteId}`,
  actorUserId: actor.userId,
  correlationId: actor.correlationId,
  causationId: null,
  schemaVersion: 1,
  data,
})
