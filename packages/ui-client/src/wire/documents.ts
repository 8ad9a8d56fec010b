import type { ProblemDetails } from './problem.ts'

/** The lifecycle status of a document. */
export type DocumentStatus = 'Draft' | 'Posted' | 'MarkedForDeletion'

/** A document of any type. The vertical defines its `payload.fields`. */
export interface Document {
  id: string
  typeCode: string
  number: string
  display: string
  status: DocumentStatus
  payload: { fields: { [name: string]: unknown } }
  createdAtUtc: string
  updatedAtUtc: string
}

/** The reason why an action is unavailable. `code` is stable. `message` is a text for the user. */
export interface DisabledReason {
  code: string
  message: string
  remedy: Remedy | null
}

/** A suggestion that makes an action available: another action, or a page. `message` is a text for the user. */
export interface Remedy {
  actionCode?: string
  target?: NavigationTarget
  message: string
}

/** The question that the user must answer before the action is executed. */
export interface Confirmation {
  mode: 'None' | 'Confirm' | 'RequireReason'
  title: string
  message: string
  confirmLabel: string
}

/** A named place in the user interface, never a URL. The vertical's page converts the name to a location. */
export interface NavigationTarget {
  code: string
  parameters: { [name: string]: string }
}

/** One action of a document. The service returns only actions that the caller is allowed to see. */
export interface DocumentAction {
  code: string
  label: string
  description: string
  icon: string
  kind: 'Primary' | 'Secondary' | 'Dangerous'
  executionKind: 'Command' | 'Derivation' | 'Navigation' | 'View'
  order: number
  confirmation: Confirmation | null
  target: NavigationTarget | null
  isAllowed: boolean
  disabledReasons: DisabledReason[]
  /** The JSON Schema (2020-12) of the payload. Absent if the action has no payload. */
  payloadSchema?: { [name: string]: unknown }
}

/** A document and the caller's actions. To execute an action, send `documentVersion` as `expectedVersion`. */
export interface EditorState {
  document: Document
  documentVersion: number
  actions: DocumentAction[]
}

/** The result of an execution. A repeat with the same key returns it again, but omits data that is now forbidden. */
export interface ExecutionResult {
  executionId: string
  actionCode: string
  document: Document
  documentVersion: number
  actions: DocumentAction[]
  workCenterMayChange: boolean
  createdDocument: Document | null
}

/** The accounting effects of a document. The vertical defines the properties of each entry. */
export interface Effects {
  accountingEntries: { [name: string]: unknown }[]
  registerMovements: { [name: string]: unknown }[]
}

/** The state as it would be after an action. A created document has an empty number. */
export interface DryRunResult {
  document: Document
  documentVersion: number
  actions: DocumentAction[]
  createdDocument: Document | null
  effects: Effects
}

/** The outcome for one document of a batch: the result, or the error that a single execution would have had. */
export type BatchItemResult =
  | { id: string; status: 200; result: ExecutionResult }
  | { id: string; status: number; problem: ProblemDetails }

/** The outcomes of a batch, in the order of its items. */
export interface BatchResult {
  results: BatchItemResult[]
}

/** The roles that could perform an action. */
export interface ActionRoles {
  roles: { code: string; name: string }[]
}

/** A document that is linked to another by a derivation. */
export interface RelatedDocument {
  typeCode: string
  id: string
  number: string
  display: string
  status: DocumentStatus
}

/** The document from which a document was derived, and the documents derived from it, newest first. */
export interface RelatedDocuments {
  derivedFrom: RelatedDocument[]
  derived: RelatedDocument[]
}
