/** Converts a `timestamptz` from the driver (`2026-01-31 12:00:00.123456+00`) to ISO 8601 with milliseconds and `Z`. */
export function toInstant(value: string): string {
  return new Date(value).toISOString()
}

/** Converts like {@link toInstant}, and returns null for null. */
export function toInstantOrNull(value: string | null): string | null {
  return value === null ? null : toInstant(value)
}

/**
 * Returns whether the text is a `timestamptz` in the driver's format that PostgreSQL accepts. Clients send cursors, and a
 * cursor with an invalid instant would make the database statement fail.
 */
export function isStoredInstant(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/.test(text)) return false
  const at = new Date(text)
  // JavaScript reads 31 February as 3 March. PostgreSQL rejects this date.
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === text.slice(0, 19).replace(' ', 'T')
}
