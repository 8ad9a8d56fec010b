import * as v from 'valibot'

/** The body of an error response (RFC 9457). `code` is stable, so clients can branch on `code`, but not on the texts. */
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

// JSON Schema has no flags, so the pattern itself names both cases.
const uuidPattern = /^[\dA-Fa-f]{8}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{12}$/

/** Returns whether the text is a UUID with hyphens, in upper or lower case. */
export const isUuid = (text: string): boolean => uuidPattern.test(text)

/** An id in a request: a UUID in upper or lower case, which is converted to lower case. */
export const Id = v.pipe(
  v.string(),
  v.regex(uuidPattern, 'expected a UUID'),
  v.transform((id) => id.toLowerCase()),
)

/** An instant in requests and responses: ISO 8601 in UTC, with milliseconds and `Z`. */
export const Instant = v.pipe(v.string(), v.isoTimestamp())

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

/** An instant from a client, which must be in UTC. The parsed value has the wire format with milliseconds. */
export const UtcInstant = v.config(
  v.pipe(
    v.string(),
    v.regex(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/,
      'expected an instant in UTC, such as 2026-01-31T12:00:00.000Z',
    ),
    v.check(isMoment, 'expected a date and time that exist'),
    v.transform((text) => new Date(text).toISOString()),
  ),
  // Reports at most one error per value.
  { abortPipeEarly: true },
)

function limitProblem(text: string): string {
  if (!/^-?\d+$/.test(text)) return 'expected a whole number'
  return Number(text) < 1 ? 'expected at least 1' : 'expected at most 100'
}

/** A truth value in a query: `true` or `false`. */
export const FlagText = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
)

/** A page size in a query string: from 1 to 100, default 50. Other values cause `request.invalid`. */
export const PageLimit = v.optional(
  v.pipe(
    v.string(),
    // The pattern contains the bounds, because the API description shows only checks of the text.
    v.regex(/^0*(?:100|[1-9]\d?)$/, ({ input }) => limitProblem(input)),
    v.transform(Number),
  ),
  '50',
)

/** Returns whether PostgreSQL can store the text in UTF-8: the text contains no U+0000 and no lone surrogate. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Text that PostgreSQL can store. All input for `text` and `jsonb` columns is checked with this schema. */
export const StorableText = v.pipe(
  v.string(),
  v.check(isStorable, 'contains a character that cannot be stored'),
)

/**
 * Characters that change the direction of the text around them.
 * @see https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
 */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/gu

/** Returns the text without characters that change the direction of the text around it. */
export const withoutDirectionControls = (text: string): string => text.replace(directionControls, '')

/**
 * Returns whether a name shows at least one character, and has none that change the direction of the text around it: otherwise, a
 * person could look like nobody, or like somebody else.
 */
export const isVisibleName = (text: string): boolean =>
  /[^\p{Default_Ignorable_Code_Point}\s\u2800]/u.test(text) && text === withoutDirectionControls(text)

/** Text without line breaks and other control characters, such as a name in the header of a mail. Trims the text. */
export const OneLineText = v.config(
  v.pipe(
    StorableText,
    v.trim(),
    v.check(
      (text) => !/[\p{Cc}\u2028\u2029]/u.test(text),
      'expected one line of text without control characters',
    ),
  ),
  // Reports at most one error per value.
  { abortPipeEarly: true },
)

/** Matches a single e-mail address. Any other text could add recipients or headers to a mail. */
export const emailAddressPattern = /^[^\s\p{Cc}@<>,;:"()[\]\\]+@[^\s\p{Cc}@<>,;:"()[\]\\]+$/u

/** Returns the length of the text in Unicode code points. Every limit on text is counted in this unit. */
export const codePointCount = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Matches a Unicode white space character. Each of these characters is one UTF-16 unit long. */
const whiteSpace = /\p{White_Space}/u

/**
 * Removes Unicode white space from both ends of the text. `String.prototype.trim` removes other characters: it keeps U+0085
 * and removes U+FEFF (ECMA-262 §12.2). Loops are faster than `\p{White_Space}+$`, which restarts at every inner space.
 */
export function trimWhiteSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && whiteSpace.test(text.charAt(start))) start += 1
  while (end > start && whiteSpace.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
