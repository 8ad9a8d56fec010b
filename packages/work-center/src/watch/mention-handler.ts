import type { EventDescriptor } from '@vertical-kit/core-audit/outbox'
import type * as v from 'valibot'
import type { NotificationDefinition } from '../definitions/definition.ts'
import { type EventHandler, on } from '../event-handlers/event-handler.ts'
import { listNames } from './notify-followers.ts'
import type { MentionData, WatchOptions } from './watched-objects.ts'

export interface MentionHandlerOptions
  extends Pick<WatchOptions, 'businessObjects' | 'modules' | 'describe'> {
  readonly mentioned: EventDescriptor<v.GenericSchema<unknown, MentionData>>
  readonly definition: NotificationDefinition
}

/**
 * Creates the handler that notifies mentioned users. It checks their rights when it writes the notification: to read the
 * object, and to see the events of the module that appended the event. The notification contains no text of the note, only its id
 * as the parameter `noteId` of the target.
 */
export function createMentionHandler(options: MentionHandlerOptions): EventHandler {
  const { mentioned, definition, businessObjects, modules, describe } = options
  return on(mentioned, async (inbox, event, tx) => {
    const { target, userIds, noteId } = event.data
    const source = modules.find(({ auditSource }) => auditSource?.module === event.source)?.auditSource
    const readers = await businessObjects.readersAmong(tx, target, userIds)
    const allowed = readers.filter((reader) => source?.isVisibleTo(reader) === true)
    if (allowed.length === 0) return
    const description = (await describe(tx, [target])).get(target.id)
    if (description === undefined) return
    const { target: place } = description
    const actorId = event.actorUserId ?? ''
    const actor = (actorId === '' ? undefined : (await listNames(tx, [actorId])).get(actorId)) ?? 'Someone'
    inbox.createNotification(definition, {
      source: description.source,
      // The page can open the notes of the object.
      target: place && { ...place, parameters: { ...place.parameters, noteId } },
      deduplicationKey: event.id,
      title: `${actor} mentioned you on ${description.source.title}`,
      titleText: { key: definition.code, parameters: { actor, title: description.source.title } },
      to: { userIds: allowed.flatMap(({ userId }) => userId ?? []) },
    })
  })
}
