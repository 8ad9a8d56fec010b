import {
  codePointCount,
  FlagText,
  ProblemDetails,
  StorableText,
  UtcInstant,
} from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import { type BatchVerb, Item, itemKinds, priorities, severities, sorts, tabs } from './items.ts'

/** `vertical=trade` selects items with a resource code that starts with `trade.`. */
const Vertical = v.optional(StorableText)

/** The page size. Values outside 1–100 are changed to the nearest limit. The default is 30. */
export const ClampedLimit = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^-?\d+$/, 'expected a whole number'),
    v.transform((digits) => Math.min(Math.max(Number(digits), 1), 100)),
  ),
  '30',
)

/** `true` selects matching items, and `false` selects all other items. An absent flag selects all items. */
export const Flag = v.optional(FlagText)

/** Selects what the counts of the Work Center include: all verticals unless `vertical` is given. */
export const SummaryQuery = v.object({ vertical: Vertical })

/** A longer search text never helps a user, but it would cost time for each item. */
const searchMaxChars = 200

export const SearchText = v.pipe(
  StorableText,
  v.check((text) => codePointCount(text) <= searchMaxChars, `expected at most ${searchMaxChars} characters`),
)

/** The parameters of a list. A page lists only items that match all filters. */
export const ListItemsQuery = v.object({
  tab: v.optional(v.picklist(tabs), 'attention'),
  sort: v.optional(v.picklist(sorts), 'newest'),
  cursor: v.optional(v.string()),
  limit: ClampedLimit,
  vertical: Vertical,
  priority: v.optional(v.picklist(priorities)),
  severity: v.optional(v.picklist(severities)),
  overdue: Flag,
  unread: Flag,
  q: v.optional(SearchText),
  definition: v.optional(StorableText),
  source: v.optional(StorableText),
})

/** Selects the items to mark as read: those of a list, up to the `readThrough` of one of its pages. */
export const ReadAllBody = v.pipe(
  v.object({
    tab: v.optional(v.picklist(tabs), 'attention'),
    filters: v.optional(
      v.object({
        vertical: v.nullish(StorableText),
        priority: v.nullish(v.picklist(priorities)),
        severity: v.nullish(v.picklist(severities)),
        overdue: v.nullish(v.union([v.boolean(), FlagText])),
        unread: v.nullish(v.union([v.boolean(), FlagText])),
        q: v.nullish(SearchText),
        definition: v.nullish(StorableText),
        source: v.nullish(StorableText),
      }),
      {},
    ),
    through: v.string(),
  }),
  v.metadata({ ref: 'ReadAllItems' }),
)

/** `changedCount` is the number of items that were unread. */
export const ReadAllResult = v.pipe(
  v.object({ changedCount: v.number() }),
  v.metadata({ ref: 'ReadAllResult' }),
)

export const ExpectedVersion = v.pipe(v.number(), v.safeInteger('expected a whole number'))

/** `expectedVersion` is the task version that the user saw. */
export const TaskVersionBody = v.pipe(
  v.object({ expectedVersion: ExpectedVersion }),
  v.metadata({ ref: 'TaskVersion' }),
)

/**
 * Rejects dates that JavaScript silently shifts (31 February, hour 24). Rejects year 0, which PostgreSQL does not
 * support.
 */
const isMoment = (text: string): boolean => {
  const at = new Date(text)
  return (
    !Number.isNaN(at.getTime()) &&
    at.toISOString().slice(0, 19) === text.slice(0, 19) &&
    !text.startsWith('0000')
  )
}

/** A day without a time zone, from year 1 to 9999. */
export const DueDay = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\d$/),
  v.check((day) => isMoment(`${day}T00:00:00Z`)),
)

/** `snoozedUntilUtc` is the end of the snooze. `null` or a past time ends the snooze immediately. */
export const SnoozeTaskBody = v.pipe(
  v.object({ snoozedUntilUtc: v.nullable(UtcInstant) }),
  v.metadata({ ref: 'SnoozeTask' }),
)

/** The maximum number of items that one batch changes. */
const batchMax = 100

const batchOf = <const Verb extends BatchVerb, const Version extends v.GenericSchema>(
  verbs: readonly Verb[],
  expectedVersion: Version,
) => ({
  verb: v.picklist(verbs),
  items: v.pipe(
    v.array(v.object({ kind: v.picklist(itemKinds), id: StorableText, expectedVersion })),
    v.minLength(1, 'expected at least 1'),
    v.maxLength(batchMax, `expected at most ${batchMax}`),
  ),
})

/** The change of up to 100 items. `claim` and `release` compare each `expectedVersion`, and other verbs ignore it. */
export const BatchBody = v.pipe(
  v.variant('verb', [
    v.object(batchOf(['read', 'unread', 'dismiss', 'restore'], v.optional(v.unknown()))),
    v.object(batchOf(['claim', 'release'], ExpectedVersion)),
    v.object({
      ...batchOf(['snooze'], v.optional(v.unknown())),
      snoozedUntilUtc: v.nullable(UtcInstant),
    }),
  ]),
  v.metadata({ ref: 'ItemBatch' }),
)
export type BatchBody = v.InferOutput<typeof BatchBody>

/**
 * The result for one item: the item after the change, or the problem that the single request would have. `item` is null with
 * status 204: the change succeeded, and the caller no longer sees the item.
 */
const BatchResult = v.union([
  v.object({ id: v.string(), status: v.number(), item: v.nullable(Item) }),
  v.object({ id: v.string(), status: v.number(), problem: ProblemDetails }),
])

/** The results of a batch, in the order of the request. */
export const BatchResults = v.pipe(
  v.object({ results: v.array(BatchResult) }),
  v.metadata({ ref: 'ItemBatchResults' }),
)
export type BatchResults = v.InferOutput<typeof BatchResults>

/** Whether the caller follows a business object. */
export const WatchState = v.pipe(v.object({ isWatching: v.boolean() }), v.metadata({ ref: 'WatchState' }))
export type WatchState = v.InferOutput<typeof WatchState>
