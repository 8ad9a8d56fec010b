import { Instant, NavigationTarget } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/** Where a document is in its life. */
export const documentStatuses = ['Draft', 'Posted', 'MarkedForDeletion'] as const
export type DocumentStatus = (typeof documentStatuses)[number]

/** A document of any type. What its `payload.fields` hold is the vertical's to say. */
export const Document = v.pipe(
  v.object({
    id: v.string(),
    typeCode: v.string(),
    number: v.string(),
    display: v.string(),
    status: v.picklist(documentStatuses),
    payload: v.object({ fields: v.looseObject({}) }),
    createdAtUtc: Instant,
    updatedAtUtc: Instant,
  }),
  v.metadata({ ref: 'Document' }),
)
export type Document = v.InferOutput<typeof Document>

export const actionKinds = ['Primary', 'Secondary', 'Dangerous'] as const
export const executionKinds = ['Command', 'Derivation', 'Navigation', 'View'] as const
export const confirmationModes = ['None', 'Confirm', 'RequireReason'] as const

/** Why an action is not available. `code` is stable; `message` is for the person. */
export const DisabledReason = v.object({ code: v.string(), message: v.string() })
export type DisabledReason = Readonly<v.InferOutput<typeof DisabledReason>>

/** What to ask a person before the action is executed. */
export const Confirmation = v.object({
  mode: v.picklist(confirmationModes),
  title: v.string(),
  message: v.string(),
  confirmLabel: v.string(),
})
export type Confirmation = Readonly<v.InferOutput<typeof Confirmation>>

/** One action as the caller may see it. Actions they may not see are not in the list at all. */
export const DocumentAction = v.pipe(
  v.object({
    code: v.string(),
    label: v.string(),
    description: v.string(),
    icon: v.string(),
    kind: v.picklist(actionKinds),
    executionKind: v.picklist(executionKinds),
    order: v.number(),
    confirmation: v.nullable(Confirmation),
    target: v.nullable(NavigationTarget),
    isAllowed: v.boolean(),
    disabledReasons: v.array(DisabledReason),
  }),
  v.metadata({ ref: 'DocumentAction' }),
)
export type DocumentAction = v.InferOutput<typeof DocumentAction>

/** A document with what the caller may do to it. `documentVersion` is what an execution sends as `expectedVersion`. */
export const EditorState = v.pipe(
  v.object({ document: Document, documentVersion: v.number(), actions: v.array(DocumentAction) }),
  v.metadata({ ref: 'EditorState' }),
)
export type EditorState = v.InferOutput<typeof EditorState>

/**
 * Body of an execution. `payload` is what the action asks for; an action that asks for nothing ignores it, as unknown
 * properties are ignored. They count for the idempotency key all the same: another body is another request.
 */
export const ExecuteActionBody = v.pipe(
  v.looseObject({
    expectedVersion: v.pipe(v.number(), v.safeInteger('expected a whole number')),
    payload: v.optional(v.unknown()),
    reason: v.nullish(v.string()),
  }),
  v.metadata({ ref: 'ExecuteAction' }),
)
export type ExecuteActionBody = v.InferOutput<typeof ExecuteActionBody>

/** What an execution came to. A repeat with the same key is answered with the same, less what the caller lost sight of. */
export const ExecutionResult = v.pipe(
  v.object({
    executionId: v.string(),
    actionCode: v.string(),
    document: Document,
    documentVersion: v.number(),
    actions: v.array(DocumentAction),
    workCenterMayChange: v.boolean(),
    createdDocument: v.nullable(Document),
  }),
  v.metadata({ ref: 'ExecutionResult' }),
)
export type ExecutionResult = v.InferOutput<typeof ExecutionResult>

/** What a document has done to the books: the vertical says with which properties. */
export const Effects = v.pipe(
  v.object({ accountingEntries: v.array(v.looseObject({})), registerMovements: v.array(v.looseObject({})) }),
  v.metadata({ ref: 'Effects' }),
)
export type Effects = v.InferOutput<typeof Effects>
