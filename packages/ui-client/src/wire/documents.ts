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

/** The reason why an action is unavailable. `code` is stable; `message` is for display. */
export interface DisabledReason {
  code: string
  message: string
}

/** The question to ask the user before the action is executed. */
export interface Confirmation {
  mode: 'None' | 'Confirm' | 'RequireReason'
  title: string
  message: string
  confirmLabel: string
}

/** A named place in the user interface. The vertical's page resolves it; it is never a URL. */
export interface NavigationTarget {
  code: string
  parameters: { [name: string]: string }
}

/** One action. The list contains only actions that the caller may see. */
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

/** A document and the caller's actions. An execution sends `documentVersion` as `expectedVersion`. */
export interface EditorState {
  document: Document
  documentVersion: number
  actions: DocumentAction[]
}

/** The result of an execution. A repeat with the same key returns it again, without data the caller may no longer see. */
export interface ExecutionResult {
  executionId: string
  actionCode: string
  document: Document
  documentVersion: number
  actions: DocumentAction[]
  workCenterMayChange: boolean
  createdDocument: Document | null
}

/** The accounting effects of a document. The vertical defines their properties. */
export interface Effects {
  accountingEntries: { [name: string]: unknown }[]
  registerMovements: { [name: string]: unknown }[]
}
