/**
 * Encodes rows for `jsonb_to_recordset`. Replaces half a surrogate pair, as in a truncated text, with U+FFFD, as the driver
 * does for text parameters: PostgreSQL rejects it in JSON.
 */
export const toJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_name, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))
