import * as v from 'valibot'
import { Id, Instant, PageLimit, StorableText, UtcInstant } from '../http/contract.ts'
import { References, targetQuery } from '../objects/contract.ts'

/** One event of a timeline. `actor` is null for actions of the service itself. */
export const AuditEvent = v.pipe(
  v.object({
    id: v.string(),
    target: v.object({ kind: v.string(), typeCode: v.string(), id: v.string() }),
    actionCode: v.string(),
    occurredAtUtc: Instant,
    actor: v.nullable(
      v.object({ userId: v.string(), displayName: v.string(), email: v.nullable(v.string()) }),
    ),
    correlationId: v.nullable(v.string()),
    metadata: v.nullable(v.looseObject({})),
    changes: v.array(v.object({ fieldPath: v.string(), oldValue: v.unknown(), newValue: v.unknown() })),
    download: v.nullable(v.object({ attachmentId: v.string() })),
  }),
  v.metadata({ ref: 'AuditEvent' }),
)
export type AuditEvent = v.InferOutput<typeof AuditEvent>

/** One page of events, newest first. `references` has the names of ids; `nextCursor` is null on the last page. */
export const AuditEventPage = v.pipe(
  v.object({ items: v.array(AuditEvent), references: References, nextCursor: v.nullable(v.string()) }),
  v.metadata({ ref: 'AuditEventPage' }),
)
export type AuditEventPage = v.InferOutput<typeof AuditEventPage>

/**
 * Selects a page of one object's timeline. `cursor` is the `nextCursor` of the page before. An event is kept if it matches all
 * filters. `fromUtc` belongs to the range, `untilUtc` does not.
 */
export const ListAuditEventsQuery = v.object({
  ...targetQuery,
  actor: v.optional(Id),
  fromUtc: v.optional(UtcInstant),
  untilUtc: v.optional(UtcInstant),
  limit: PageLimit,
  cursor: v.optional(v.string()),
})

/** An event is kept if it matches all filters. `fromUtc` belongs to the range, `untilUtc` does not. */
export const SearchAuditEventsQuery = v.object({
  actor: v.optional(Id),
  actionCode: v.optional(StorableText),
  typeCode: v.optional(StorableText),
  fromUtc: v.optional(UtcInstant),
  untilUtc: v.optional(UtcInstant),
  limit: PageLimit,
  cursor: v.optional(v.string()),
})

/** The types of entries, with their names in a query string. */
export const activityTypes = { audit: 'audit', notes: 'note', files: 'file', tasks: 'task' } as const
export type ActivityType = (typeof activityTypes)[keyof typeof activityTypes]

/** An entry. It has one of `event`, `note`, `attachment` and `task`: the item of its own list. */
export const ActivityEntry = v.pipe(
  v.object({
    type: v.picklist(Object.values(activityTypes)),
    id: v.string(),
    occurredAtUtc: Instant,
    actor: AuditEvent.pipe[0].entries.actor,
    event: v.optional(AuditEvent),
    note: v.optional(v.looseObject({})),
    attachment: v.optional(v.looseObject({})),
    task: v.optional(v.looseObject({})),
  }),
  v.metadata({ ref: 'ActivityEntry' }),
)
export type ActivityEntry = v.InferOutput<typeof ActivityEntry>

/**
 * One page of an object's activity, newest first. `references` has the names of ids; `nextCursor` is null on the last
 * page.
 */
export const ActivityPage = v.pipe(
  v.object({ items: v.array(ActivityEntry), references: References, nextCursor: v.nullable(v.string()) }),
  v.metadata({ ref: 'ActivityPage' }),
)
export type ActivityPage = v.InferOutput<typeof ActivityPage>

const namesOfTypes = Object.keys(activityTypes) as readonly (keyof typeof activityTypes)[]

const Types = v.pipe(
  v.string(),
  v.transform((text) => text.split(',')),
  v.array(v.picklist(namesOfTypes, `expected a list of ${namesOfTypes.join(', ')}`)),
  v.transform((names): readonly ActivityType[] => names.map((name) => activityTypes[name])),
)

/** `types` is a list such as `audit,notes`; without it, all types are listed. */
export const ListActivityQuery = v.object({
  ...targetQuery,
  types: v.optional(Types),
  actor: v.optional(Id),
  fromUtc: v.optional(UtcInstant),
  untilUtc: v.optional(UtcInstant),
  limit: PageLimit,
  cursor: v.optional(v.string()),
})
