export type { Drafts, FileDrafts, TextDrafts } from '../session/drafts.ts'
export { type Change, openSession, type Session, type SessionOptions } from '../session/session.ts'
export { type AccessState, type AccessStore, accessStore } from './access.ts'
export { type AttachmentsStore, attachmentsStore } from './attachments.ts'
export {
  type AuditTimelineStore,
  auditTimelineStore,
  type TimelineEntry,
  type TimelineFilters,
} from './audit-timeline.ts'
export { coalesced } from './coalesced.ts'
export {
  type ContentSummaryState,
  type ContentSummaryStore,
  contentSummaryStore,
} from './content-summary.ts'
export type { Countdown } from './countdown.ts'
export type { Deletion, DeletionState } from './deletions.ts'
export {
  type DocumentActionsState,
  type DocumentActionsStore,
  documentActionsStore,
  type Execution,
  type ExecutionInput,
  type ExecutionOutcome,
  type Preview,
} from './document-actions.ts'
export {
  type BatchOutcome,
  type DocumentBatchState,
  type DocumentBatchStore,
  documentBatchStore,
} from './document-batch.ts'
export { type DocumentTasksState, type DocumentTasksStore, documentTasksStore } from './document-tasks.ts'
export { type FeaturesState, type FeaturesStore, featuresStore } from './features.ts'
export { type Announcement, type FeedbackMessage, type FeedbackStore, feedbackStore } from './feedback.ts'
export { type LiveObjectState, type LiveObjectStore, liveObjectStore } from './live-object.ts'
export { type NoteEditor, type NoteKey, type NotesStore, newNote, notesStore } from './notes.ts'
export {
  createPagedList,
  type ListState,
  type ListStatus,
  type PagedList,
  type PagedListOptions,
} from './paged-list.ts'
export {
  type MailState,
  type PreferenceRow,
  type PreferencesState,
  type PreferencesStore,
  preferenceKey,
  preferencesStore,
} from './preferences.ts'
export { type Realtime, type RealtimeStatus, realtimeStore } from './realtime.ts'
export { type ObjectUploads, type UploadsStore, uploadsStore } from './session-uploads.ts'
export { openStore, outcome, type Store, type StoreCore } from './store.ts'
export { type SubstitutionState, type SubstitutionStore, substitutionStore } from './substitution.ts'
export { type TeamFilters, type TeamRow, type TeamTasksStore, teamTasksStore } from './team-tasks.ts'
export type { FileUpload, UploadProgress, UploadState, UploadStep } from './upload-state.ts'
export { type WatchingState, type WatchStore, watchStore } from './watch.ts'
export {
  type WorkCenterNotice,
  type WorkCenterOptions,
  type WorkCenterRow,
  type WorkCenterStore,
  type WorkCenterSummaryState,
  type WorkCenterVerb,
  workCenterStore,
} from './work-center.ts'
export type { Batches, WorkCenterBatch, WorkCenterChange } from './work-center-batch.ts'
export { type DueGroup, dueGroupOf, dueGroups } from './work-center-due-groups.ts'
export { type WorkCenterFilters, type WorkCenterView, workCenterTabs } from './work-center-lists.ts'
export { type SnoozePreset, snoozePresets } from './work-center-snooze.ts'
