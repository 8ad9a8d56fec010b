/**
 * Encodes rows for `jsonb_to_recordset`. A truncated text can end with half a surrogate pair, which PostgreSQL rejects in
 * JSON. Replaces this half with U+FFFD, like the driver does for text parameters.
 */
export const toJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_name, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))
