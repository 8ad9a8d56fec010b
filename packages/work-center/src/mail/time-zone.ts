import { CoreError, sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'

/**
 * Former names of time zones that JavaScript still reports, with their current names. Some installations of PostgreSQL know only
 * the current ones, and others only the former ones.
 *
 * @see https://github.com/unicode-org/cldr/blob/main/common/bcp47/timezone.xml for the names, `iana` is the current one
 */
const currentNames: ReadonlyMap<string, string> = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
])

/** All names of zones with two names, by each name in lower case. */
const otherNames = new Map(
  [...currentNames].flatMap(([former, current]) => [
    [former.toLowerCase(), current],
    [current.toLowerCase(), former],
  ]),
)

/** Returns the names of a time zone, the preferred one first. */
export function namesOfTimeZone(name: string): readonly string[] {
  // PostgreSQL reads names such as `CET` as abbreviations of a fixed offset, without daylight saving time.
  // See https://www.postgresql.org/docs/current/datatype-datetime.html#DATATYPE-TIMEZONES
  const zone = name.includes('/')
    ? name
    : new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  const other = otherNames.get(zone.toLowerCase())
  return other === undefined ? [zone] : [zone, other]
}

/**
 * Returns the name of a time zone that JavaScript and the database know: in an unknown one, daily mails would be sent by UTC.
 * @throws {CoreError} request.invalid
 */
export async function findTimeZone(db: Db, name: string): Promise<string> {
  const known = await firstKnownName(db, namesOfTimeZone(name))
  if (known !== undefined) return known
  const message = 'expected a time zone that the database knows'
  throw new CoreError('request.invalid', { errors: [{ path: 'timeZone', message }] })
}

/** Returns the first of these names that the database knows. */
export async function firstKnownName(db: Db, names: readonly string[]): Promise<string | undefined> {
  const [row] = await db.execute<{ name: string }>(sql`
    select known.name
    from unnest(${sql.param(names)}::text[]) with ordinality wanted (name, place)
    join pg_catalog.pg_timezone_names known on lower(known.name) = lower(wanted.name)
    order by wanted.place
    limit 1`)
  return row?.name
}
