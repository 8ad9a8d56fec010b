/** Where a document is in its life. */
export type DocumentStatus = 'Draft' | 'Posted' | 'MarkedForDeletion'

/** A document of any type. What its `payload.fields` hold is the vertical's to say. */
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

/** Why an action is not available. `code` is stable; `message` is for the person. */
export interface DisabledReason {
  code: string
  message: string
}

/** What to ask a person before the action is executed. */
export interface Confirmation {
  mode: 'None' | 'Confirm' | 'RequireReason'
  title: string
  message: string
  confirmLabel: string
}

/** A place of the user interface, by name: the vertical's page knows where that is. Never an address. */
export interface NavigationTarget {
  code: string
  parameters: { [name: string]: string }
}

/** One action as the caller may see it. Actions they may not see are not in the list at all. */
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

/** A document with what the caller may do to it. `documentVersion` is what an execution sends as `expectedVersion`. */
export interface EditorState {
  document: Document
  documentVersion: number
  actions: DocumentAction[]
}

/** What an execution came to. A repeat with the same key is answered with the same, less what the caller lost sight of. */
export interface ExecutionResult {
  executionId: string
  actionCode: string
  document: Document
  documentVersion: number
  actions: DocumentAction[]
  workCenterMayChange: boolean
  createdDocument: Document | null
}

/** What a document has done to the books: the vertical says with which properties. */
export interface Effects {
  accountingEntries: { [name: string]: unknown }[]
  registerMovements: { [name: string]: unknown }[]
}
