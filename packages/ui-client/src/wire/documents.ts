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
