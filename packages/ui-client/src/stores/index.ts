export type { Drafts, FileDrafts, TextDrafts } from '../session/drafts.ts'
export { type Change, openSession, type Session, type SessionOptions } from '../session/session.ts'
export { type AccessState, type AccessStore, accessOf } from './access.ts'
export { type AttachmentsStore, createAttachments } from './attachments.ts'
export { type AuditTimelineStore, createAuditTimeline } from './audit-timeline.ts'
export {
  type ContentSummaryState,
  type ContentSummaryStore,
  createContentSummary,
} from './content-summary.ts'
export {
  createDocumentActions,
  type DocumentActionsState,
  type DocumentActionsStore,
  type Execution,
  type ExecutionInput,
} from './document-actions.ts'
export { type FeaturesState, type FeaturesStore, featuresOf } from './features.ts'
export { createNotes, type NoteEditor, type NoteKey, type NotesStore, newNote } from './notes.ts'
export {
  createPagedList,
  type ListState,
  type ListStatus,
  type PagedList,
  type PagedListOptions,
} from './paged-list.ts'
export {
  createPreferences,
  type PreferenceRow,
  type PreferencesState,
  type PreferencesStore,
} from './preferences.ts'
export { type Realtime, type RealtimeStatus, realtimeOf } from './realtime.ts'
export { openStore, outcome, type Store, type StoreCore } from './store.ts'
export type { FileUpload, UploadState, UploadStep } from './upload-state.ts'
export {
  createWorkCenter,
  type WorkCenterNotice,
  type WorkCenterOptions,
  type WorkCenterRow,
  type WorkCenterStore,
  type WorkCenterSummaryState,
  type WorkCenterVerb,
} from './work-center.ts'
export { type WorkCenterFilters, workCenterTabs } from './work-center-lists.ts'
export { type SnoozePreset, snoozePresets } from './work-center-snooze.ts'
