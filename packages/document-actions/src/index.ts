export type {
  ActionDefinition,
  ActionExecution,
  ActionOutcome,
  CommandInput,
  DerivationInput,
  DisabledReasonInput,
  NavigationInput,
  PayloadOf,
  PayloadSchema,
} from './actions/action-definition.ts'
export type { ActionMakers } from './actions/action-makers.ts'
export { type DocumentType, type DocumentTypeInput, documentType } from './actions/document-type.ts'
export {
  type LifecycleCode,
  type LifecycleStep,
  type LifecycleSteps,
  lifecycleCodes,
} from './actions/lifecycle.ts'
export { type CreateDocument, createDocument } from './commands/create-document.ts'
export { type DocumentActionsConfig, readDocumentActionsConfig } from './config.ts'
export {
  type DocumentRow,
  documentColumns,
  referenceRows,
  toDocument,
  toStoredDocument,
} from './documents/document-row.ts'
export type {
  DocumentFields,
  DocumentReference,
  DocumentState,
  DocumentStore,
  DocumentUpdate,
  Fields,
  SharedDocumentStore,
  StoredDocument,
} from './documents/document-store.ts'
export { genericDocumentStore } from './documents/generic-document-store.ts'
export { DocumentActionsError } from './errors.ts'
export { documentActionsMigrations } from './migrations.ts'
export { createDocumentActions, type DocumentActions, type DocumentActionsOptions } from './module.ts'
export { type ActionCompletedData, actionCompleted } from './outbox.ts'
export { checkDraft, checkVersion } from './policy.ts'
