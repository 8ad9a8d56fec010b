export type { CreateNotification } from './commands/create-notifications.ts'
export type { Assignment, CreateTask } from './commands/create-tasks.ts'
export type { Audience } from './commands/recipients.ts'
export { readWorkCenterConfig, type WorkCenterConfig } from './config.ts'
export {
  defineNotification,
  defineTask,
  type ItemDefinition,
  type NotificationDefinition,
  type TaskDefinition,
} from './definitions/definition.ts'
export { WorkCenterError } from './errors.ts'
export { type EventHandler, type HandledEvent, type HandleEvent, on } from './event-handlers/event-handler.ts'
export {
  type DesiredTask,
  type Inbox,
  type InboxOptions,
  type OpenInbox,
  openInbox,
  type WriteInbox,
} from './inbox/inbox.ts'
export type { AnnounceChanges, VersionChanges } from './inbox/version-changes.ts'
export { workCenterMigrations } from './migrations.ts'
export { createWorkCenter, type WorkCenter, type WorkCenterOptions } from './module.ts'
export { type RealtimeConfig, readRealtimeConfig } from './realtime/config.ts'
export { createRealtime, type Realtime, type RealtimeOptions } from './realtime/realtime.ts'
export type { MentionData, ObjectDescription, WatchOptions } from './watch/watched-objects.ts'
