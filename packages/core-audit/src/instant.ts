/** A `timestamptz` as the driver hands it over (`2026-01-31 12:00:00.123456+00`) in the wire's form. */
export function toInstant(value: string): string {
  return new Date(value).toISOString()
}

/** As {@link toInstant}, for a column that may be null. */
export function toInstantOrNull(value: string | null): string | null {
  return value === null ? null : toInstant(value)
}

/**
 * Whether text is a `timestamptz` as the driver hands it over, of a moment that exists and that PostgreSQL knows: what
 * comes back from outside, in a cursor, must not fail in a statement.
 */
export function isStoredInstant(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/.test(text)) return false
  const at = new Date(text)
  // JavaScript takes 31 February for 3 March; PostgreSQL refuses it.
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === text.slice(0, 19).replace(' ', 'T')
}
