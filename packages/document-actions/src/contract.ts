import { Instant, NavigationTarget, ProblemDetails, StorableText } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/** The statuses of a document. */
export const documentStatuses = ['Draft', 'Posted', 'MarkedForDeletion'] as const
export type DocumentStatus = (typeof documentStatuses)[number]

/** A document of any type. The vertical defines the contents of `payload.fields`. */
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

/** A suggestion that makes an action available: another action of the document, or a page. Users see `message`. */
export const Remedy = v.object({
  actionCode: v.optional(v.string()),
  target: v.optional(NavigationTarget),
  message: v.string(),
})
export type Remedy = Readonly<v.InferOutput<typeof Remedy>>

/** A reason why an action is unavailable. `code` is stable; `message` is shown to the user. */
export const DisabledReason = v.object({
  code: v.string(),
  message: v.string(),
  remedy: v.nullable(Remedy),
})
export type DisabledReason = Readonly<v.InferOutput<typeof DisabledReason>>

/** The confirmation dialog before an execution. */
export const Confirmation = v.object({
  mode: v.picklist(confirmationModes),
  title: v.string(),
  message: v.string(),
  confirmLabel: v.string(),
})
export type Confirmation = Readonly<v.InferOutput<typeof Confirmation>>

/** One action in a list. Lists contain only actions that the caller has permission to execute. */
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
    /** The JSON Schema (2020-12) of the payload. Absent if the action has no payload. */
    payloadSchema: v.optional(v.looseObject({})),
  }),
  v.metadata({ ref: 'DocumentAction' }),
)
export type DocumentAction = v.InferOutput<typeof DocumentAction>

/** A document with the actions of the caller. To execute an action, send `documentVersion` as `expectedVersion`. */
export const EditorState = v.pipe(
  v.object({ document: Document, documentVersion: v.number(), actions: v.array(DocumentAction) }),
  v.metadata({ ref: 'EditorState' }),
)
export type EditorState = v.InferOutput<typeof EditorState>

/**
 * The body of an execution. `payload` is the input of the action. An action without input ignores it, and unknown
 * properties are always ignored. Ignored values still identify the request: one key with two bodies is a conflict.
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

/** The result of an execution. A repeat returns the same result without data that the caller may no longer see. */
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

/** The effects of a document on the books. The vertical defines the properties of the entries. */
export const Effects = v.pipe(
  v.object({ accountingEntries: v.array(v.looseObject({})), registerMovements: v.array(v.looseObject({})) }),
  v.metadata({ ref: 'Effects' }),
)
export type Effects = v.InferOutput<typeof Effects>

/**
 * The state as it would be after an action, from a dry run. A created document has an empty number, because a dry run draws
 * no number, and an id that does not exist.
 */
export const DryRunResult = v.pipe(
  v.object({
    document: Document,
    documentVersion: v.number(),
    actions: v.array(DocumentAction),
    createdDocument: v.nullable(Document),
    effects: Effects,
  }),
  v.metadata({ ref: 'DryRunResult' }),
)
export type DryRunResult = v.InferOutput<typeof DryRunResult>

/** Maximum number of documents in a batch. */
export const maxBatchItems = 100

/** One document of a batch. Ids that are no UUID have the result `documents.not_found`, like unknown ids. */
const BatchItem = v.looseObject({
  id: StorableText,
  expectedVersion: ExecuteActionBody.entries.expectedVersion,
  payload: v.optional(v.unknown()),
})

/** The body of a batch. Each document has its own version and payload; the reason applies to all. */
export const ExecuteBatchBody = v.pipe(
  v.looseObject({
    items: v.pipe(
      v.array(BatchItem),
      v.minLength(1, 'expected at least 1 item'),
      v.maxLength(maxBatchItems, `expected at most ${maxBatchItems} items`),
      v.check((items) => areDistinct(items.map(({ id }) => id)), 'contains a document more than once'),
    ),
    reason: v.nullish(v.string()),
  }),
  v.metadata({ ref: 'ExecuteBatch' }),
)
export type ExecuteBatchBody = v.InferOutput<typeof ExecuteBatchBody>

const areDistinct = (ids: readonly string[]): boolean =>
  new Set(ids.map((id) => id.toLowerCase())).size === ids.length

/** The outcome for one document of a batch: the result, or the error that a single execution would have had. */
const BatchItemResult = v.union([
  v.object({ id: v.string(), status: v.literal(200), result: ExecutionResult }),
  v.object({ id: v.string(), status: v.number(), problem: ProblemDetails }),
])
export type BatchItemResult = v.InferOutput<typeof BatchItemResult>

/** The outcomes of a batch, in the order of its items. */
export const BatchResult = v.pipe(
  v.object({ results: v.array(BatchItemResult) }),
  v.metadata({ ref: 'BatchResult' }),
)
export type BatchResult = v.InferOutput<typeof BatchResult>

/** The roles that could perform an action. */
export const ActionRoles = v.pipe(
  v.object({ roles: v.array(v.object({ code: v.string(), name: v.string() })) }),
  v.metadata({ ref: 'ActionRoles' }),
)
export type ActionRoles = v.InferOutput<typeof ActionRoles>

/** A document that is linked to another by a derivation. */
const RelatedDocument = v.object({
  typeCode: v.string(),
  id: v.string(),
  number: v.string(),
  display: v.string(),
  status: v.picklist(documentStatuses),
})
export type RelatedDocument = v.InferOutput<typeof RelatedDocument>

/** The document from which a document was derived, and the documents derived from it, newest first. */
export const RelatedDocuments = v.pipe(
  v.object({ derivedFrom: v.array(RelatedDocument), derived: v.array(RelatedDocument) }),
  v.metadata({ ref: 'RelatedDocuments' }),
)
export type RelatedDocuments = v.InferOutput<typeof RelatedDocuments>
