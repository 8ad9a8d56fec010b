/**
 * Converts a `timestamptz` from the driver (`2026-01-31 12:00:00.123456+00`), or from JSON of PostgreSQL
 * (`2026-01-31T12:00:00.123456+00:00`), to ISO 8601 with milliseconds and `Z`.
 * @throws {RangeError} for a year outside 1 to 9999 and for `infinity`, because the wire format has four digits for the year
 */
export function toInstant(value: string): string {
  // A page of a list has about a hundred instants. A `Date` takes eight times as long as a pattern, and a match with groups
  // allocates an array, and a text for each group.
  if (!pattern.test(value)) throw new RangeError('An instant is outside the years 1 to 9999.')
  const time = value.slice(11, Math.min(value.lastIndexOf('+'), 23))
  return `${value.slice(0, 10)}T${time.length === 8 ? `${time}.000` : time.padEnd(12, '0')}Z`
}

/** Matches both forms of instants of the years 1 to 9999. */
const pattern = /^(?!0000)\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?\+00(?::00)?$/

/** Returns the time of a UUIDv7 in the wire format (RFC 9562 §5.7). */
export const instantOfId = (id: string): string =>
  new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString()

/** Converts like {@link toInstant}, and returns null for null. */
export function toInstantOrNull(value: string | null): string | null {
  return value === null ? null : toInstant(value)
}

/**
 * Returns whether the text is a `timestamptz` in the driver's format that PostgreSQL accepts. Clients send cursors, and a
 * cursor with an invalid instant would make the database statement fail.
 */
export function isStoredInstant(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/.test(text)) return false
  const at = parse(text)
  // JavaScript reads 31 February as 3 March. PostgreSQL rejects this date.
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === text.slice(0, 19).replace(' ', 'T')
}

/** JavaScript reads the years 1 to 99 as 2001 to 1999, unless the text has exactly the format of ECMA-262 §21.4.1.32. */
const parse = (stored: string): Date => new Date(stored.replace(' ', 'T').replace(/\+00$/, 'Z'))
