import { defineNotification, type NotificationDefinition } from '../definitions/definition.ts'

const dayMs = 86_400_000

/** The handlers check the rights of each recipient, so their roles do not matter. */
const toReaders = { roleCodes: [], isForAllRoles: true } as const

/** The notifications about objects. */
export interface WatchDefinitions {
  readonly objectChanged: NotificationDefinition
  readonly mentioned: NotificationDefinition
}

export const watchDefinitions = (): WatchDefinitions => ({
  objectChanged: defineNotification({
    code: 'work_center.object_changed',
    displayName: 'Changes of followed objects',
    category: 'Conversation',
    description: 'Someone else worked on an object that you follow.',
    severity: 'Information',
    channels: ['InApp', 'Email'],
    // Soon, only the timeline matters.
    retentionMs: 7 * dayMs,
    ...toReaders,
  }),
  mentioned: defineNotification({
    code: 'notes.mentioned',
    displayName: 'Mentions in notes',
    category: 'Conversation',
    description: 'Someone mentioned you in a note.',
    severity: 'Information',
    channels: ['InApp', 'Email'],
    // A mention asks for an answer, also from a user who is not signed in.
    emailDefaultEnabled: true,
    ...toReaders,
  }),
})
