import * as v from 'valibot'

/** An error body (RFC 9457). `code` is stable: branch on it, not on the words. */
export const ProblemDetails = v.pipe(
  v.object({
    type: v.string(),
    title: v.string(),
    status: v.number(),
    detail: v.string(),
    code: v.string(),
    context: v.optional(v.looseObject({})),
    errors: v.optional(v.array(v.object({ path: v.string(), message: v.string() }))),
    requestId: v.string(),
  }),
  v.metadata({ ref: 'ProblemDetails' }),
)
export type ProblemDetails = v.InferOutput<typeof ProblemDetails>

const uuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Whether text is a UUID in the usual writing, in either case. */
export const isUuid = (text: string): boolean => uuidPattern.test(text)

/** An id from outside: a UUID, taken in any case, used in lower case. */
export const Id = v.pipe(
  v.string(),
  v.regex(uuidPattern, 'expected a UUID'),
  v.transform((id) => id.toLowerCase()),
)

/** An instant on the wire: ISO 8601 UTC with milliseconds and `Z`. */
export const Instant = v.pipe(v.string(), v.isoTimestamp())

/** A page size from a query string: 1–100, 50 when absent. Outside of that is a `request.invalid`. */
export const PageLimit = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,3}$/, 'expected a whole number'),
    v.transform(Number),
    v.minValue(1, 'expected at least 1'),
    v.maxValue(100, 'expected at most 100'),
  ),
  '50',
)

/** Whether PostgreSQL and UTF-8 can hold the text: no U+0000, no lone surrogate. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Text that can be stored: everything that goes into a `text` or `jsonb` column passes through it. */
export const StorableText = v.pipe(v.string(), v.check(isStorable, 'holds a character that cannot be stored'))

/** Length in Unicode code points, the unit of every limit on text. */
export const codePointCount = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** All of it one UTF-16 unit long. */
const whiteSpace = /\p{White_Space}/u

/**
 * The text without Unicode white space around it. `String.prototype.trim` knows another set: it keeps U+0085 and takes
 * U+FEFF (ECMA-262 §12.2). Steps in from both ends: `\p{White_Space}+$` would start over at every white space inside.
 */
export function trimWhiteSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && whiteSpace.test(text.charAt(start))) start += 1
  while (end > start && whiteSpace.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
