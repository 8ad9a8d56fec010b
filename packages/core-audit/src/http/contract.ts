import * as v from 'valibot'

/** An error body (RFC 9457). `code` is stable: branch on it, not on the text. */
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

/** Returns whether text is a UUID in its usual notation, in upper or lower case. */
export const isUuid = (text: string): boolean => uuidPattern.test(text)

/** An id from outside: a UUID in any case, converted to lower case. */
export const Id = v.pipe(
  v.string(),
  v.regex(uuidPattern, 'expected a UUID'),
  v.transform((id) => id.toLowerCase()),
)

/** An instant on the wire: ISO 8601 UTC with milliseconds and `Z`. */
export const Instant = v.pipe(v.string(), v.isoTimestamp())

/** A page size from a query string: 1–100, default 50. Other values cause `request.invalid`. */
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

/** Returns whether PostgreSQL and UTF-8 can store the text: no U+0000, no lone surrogate. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Text that can be stored. All input for `text` and `jsonb` columns passes this check. */
export const StorableText = v.pipe(
  v.string(),
  v.check(isStorable, 'contains a character that cannot be stored'),
)

/** Returns the length in Unicode code points, the unit of every limit on text. */
export const codePointCount = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Every character in this set is one UTF-16 unit long. */
const whiteSpace = /\p{White_Space}/u

/**
 * Removes Unicode white space from both ends. `String.prototype.trim` uses another set: it keeps U+0085 and removes U+FEFF
 * (ECMA-262 §12.2). Scans from both ends, because `\p{White_Space}+$` would restart at every white space inside.
 */
export function trimWhiteSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && whiteSpace.test(text.charAt(start))) start += 1
  while (end > start && whiteSpace.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
