/**
 * Rows for `jsonb_to_recordset`. Half of a surrogate pair, left where a text was cut, becomes U+FFFD, as it does in a
 * parameter that is text; in JSON PostgreSQL refuses it.
 */
export const toJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_name, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))
