/**
 * Returns the name of a time zone that means the same to JavaScript and to PostgreSQL. PostgreSQL reads names such as `CET` as
 * abbreviations of a fixed offset, without daylight saving time; JavaScript knows the zone that they stand for.
 *
 * @see https://www.postgresql.org/docs/current/datatype-datetime.html#DATATYPE-TIMEZONES
 */
export const sharedTimeZone = (name: string): string =>
  name.includes('/') ? name : new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
