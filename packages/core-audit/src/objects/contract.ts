import * as v from 'valibot'
import { Id, StorableText } from '../http/contract.ts'

/** The kinds of business objects. */
export const businessObjectKinds = ['CatalogItem', 'Document', 'GeneralJournalEntry'] as const
export type BusinessObjectKind = (typeof businessObjectKinds)[number]

/** The only type code of the kind GeneralJournalEntry. No other kind can use it. */
export const generalJournalEntryTypeCode = 'general_journal_entry'

/** The stable identity of a business object. `id` is a lower-case UUID. Other packages store it without a foreign key. */
export const BusinessObjectReference = v.pipe(
  v.object({ kind: v.picklist(businessObjectKinds), typeCode: v.string(), id: v.string() }),
  v.metadata({ ref: 'BusinessObjectReference' }),
)
export type BusinessObjectReference = Readonly<v.InferOutput<typeof BusinessObjectReference>>

/**
 * A target in a request body: `{ kind, typeCode, id }`. It accepts any kind and type code, because an unregistered type
 * must cause the error `business_object.unsupported`, not a malformed request.
 */
export const Target = v.pipe(
  v.object({ kind: StorableText, typeCode: StorableText, id: Id }),
  v.transform((target) => target as BusinessObjectReference),
)

/** A target in a query string: `kind`, `typeCode`, `objectId`. */
export const targetQuery = { kind: v.string(), typeCode: v.string(), objectId: Id } as const

/** Reads the target from a parsed query. The kind can be any text until the registry checks it. */
export function targetOf(query: {
  kind: string
  typeCode: string
  objectId: string
}): BusinessObjectReference {
  return { kind: query.kind as BusinessObjectKind, typeCode: query.typeCode, id: query.objectId }
}

/**
 * The destination of a link in the application: a navigation code that the front end knows, with its parameters. Document
 * actions, tasks and notifications share this shape.
 */
export const NavigationTarget = v.object({ code: v.string(), parameters: v.record(v.string(), v.string()) })
export type NavigationTarget = Readonly<v.InferOutput<typeof NavigationTarget>>

/** Counts of one target; `null` when the feature is off or the caller is not allowed to read the content. */
export const ContentSummary = v.pipe(
  v.object({ attachments: v.nullable(v.number()), notes: v.nullable(v.number()) }),
  v.metadata({ ref: 'ContentSummary' }),
)
export type ContentSummary = v.InferOutput<typeof ContentSummary>

/** The targets of a request for many summaries. */
export const ContentSummariesBody = v.pipe(
  v.object({
    targets: v.pipe(
      v.array(Target),
      v.minLength(1, 'expected at least 1'),
      v.maxLength(100, 'expected at most 100'),
    ),
  }),
  v.metadata({ ref: 'ContentSummariesRequest' }),
)

/** A target in a response, exactly as the client has sent it: it can have an unknown kind. */
const AnsweredTarget = v.object({ kind: v.string(), typeCode: v.string(), id: v.string() })

/** The summaries in the order of the request. Hidden, missing and unsupported objects are not available. */
export const ContentSummaries = v.pipe(
  v.object({
    items: v.array(
      v.union([
        v.object({ target: AnsweredTarget, ...ContentSummary.entries }),
        v.object({ target: AnsweredTarget, isAvailable: v.literal(false) }),
      ]),
    ),
  }),
  v.metadata({ ref: 'ContentSummaries' }),
)
export type ContentSummaries = v.InferOutput<typeof ContentSummaries>

/**
 * The objects and users that the ids in a response refer to, by id. It contains only objects that the caller may read: any
 * other id stays an id.
 */
export const References = v.record(
  v.string(),
  v.object({ display: v.string(), target: v.nullable(NavigationTarget) }),
)
export type References = v.InferOutput<typeof References>
