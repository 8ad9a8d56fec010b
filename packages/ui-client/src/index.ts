export type {
  ChangeDeadLetters,
  InviteUser,
  ListDeadLetters,
  ListUsers,
  RoleTexts,
} from './client/administration.ts'
export { type Client, type ClientOptions, createClient } from './client/client.ts'
export type { ReserveUpload, SignParts } from './client/content.ts'
export {
  type BatchItem,
  type DocumentReference,
  type ExecuteAction,
  type ExecuteBatch,
  newIdempotencyKey,
} from './client/documents.ts'
export type {
  AuditExport,
  AuditFilters,
  AuditSearch,
  HistoryFilters,
  ListActivity,
  ListOf,
} from './client/history.ts'
export { isKitError, KitError } from './client/kit-error.ts'
export { isTransient } from './client/retry.ts'
export type { CallOptions, KitRequest, Send, SendOptions } from './client/send.ts'
export type { ListTeamTasks, Recipient } from './client/team.ts'
export type { Wait } from './client/wait.ts'
export type {
  ItemBatch,
  ItemFilters,
  ListItems,
  PreferenceChoice,
  ReadAll,
} from './client/work-center.ts'
export type { ActivityEntry, ActivityPage, ContentSummaries } from './wire/activity.ts'
export type {
  Attachment,
  AttachmentStatus,
  Download,
  MultipartUpload,
  PresignedPart,
  PresignedParts,
  PresignedUpload,
  Upload,
  UploadedPart,
  UploadedParts,
} from './wire/attachments.ts'
export type { AuditEvent, AuditEventPage, References } from './wire/audit.ts'
export type {
  BusinessObjectKind,
  BusinessObjectReference,
  ContentSummary,
  Page,
  WatchState,
} from './wire/business-objects.ts'
export type {
  ActionRoles,
  BatchItemResult,
  BatchResult,
  Confirmation,
  DisabledReason,
  Document,
  DocumentAction,
  DocumentStatus,
  DryRunResult,
  EditorState,
  Effects,
  ExecutionResult,
  NavigationTarget,
  RelatedDocument,
  RelatedDocuments,
  Remedy,
} from './wire/documents.ts'
export type { Feature } from './wire/features.ts'
export type { Mention, MentionableUsers, Note, NoteLink } from './wire/notes.ts'
export type { DeadLetter, OutboxEventHistory, OutboxState } from './wire/outbox.ts'
export type { ProblemDetails } from './wire/problem.ts'
export type { MeAccess, Permission, Role, User } from './wire/security.ts'
export type { ApiDocument, HealthReport, HealthStatus } from './wire/system.ts'
export type {
  Substitutes,
  Substitution,
  TaskRecipients,
  TeamTask,
  TeamTaskPage,
} from './wire/team.ts'
export type {
  BatchVerb,
  Channel,
  ItemBatchResult,
  ItemBatchResults,
  ItemKind,
  MailSettings,
  Preference,
  Priority,
  Severity,
  Sort,
  Tab,
  TaskStatus,
  WorkCenterItem,
  WorkCenterItemPage,
  WorkCenterSummary,
} from './wire/work-center.ts'
