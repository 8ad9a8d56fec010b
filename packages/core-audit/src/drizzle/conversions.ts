import { addArrayTypes } from '../database/array-types.ts'

/** Rows in PostgreSQL's text format: the parsers of the application's driver have not been applied. */
export interface TextResult {
  readonly columns: readonly { readonly name: string; readonly type: number }[]
  readonly rows: readonly (readonly (string | null)[])[]
}

type Parse = (text: string) => unknown

const toNumber: Parse = (text) => Number(text)
const parseJson: Parse = (text) => JSON.parse(text) as unknown

/** The parsers by type OID, for the types that `Database` parses. Values of other types stay text. */
const parsers: Record<number, Parse> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  // smallint, integer, oid, real, double precision
  ...{ 21: toNumber, 23: toNumber, 26: toNumber, 700: toNumber, 701: toNumber },
  ...{ 114: parseJson, 3802: parseJson },
  1184: inUtc,
}
const text = 25
const serializers: Record<number, (value: unknown) => unknown> = { [text]: toText }
addArrayTypes({ parsers, serializers })
const textArray = 1009

/** Returns the rows as objects keyed by column name. If columns have the same name, the last wins, like in both drivers. */
export function toObjects({ columns, rows }: TextResult): readonly Record<string, unknown>[] {
  return rows.map((row) =>
    Object.fromEntries(columns.map(({ name, type }, at) => [name, parseValue(type, row[at])])),
  )
}

/** Returns each row as an array in column order. */
export function toValues({ columns, rows }: TextResult): readonly (readonly unknown[])[] {
  return rows.map((row) => columns.map(({ type }, at) => parseValue(type, row[at])))
}

function parseValue(type: number, value: string | null | undefined): unknown {
  if (value === null || value === undefined) return null
  const parse = parsers[type]
  return parse === undefined ? value : parse(value)
}

/**
 * Converts a parameter to a form that both drivers send unchanged, regardless of the serializers in the application's
 * driver. JSON parameters are already text.
 *
 * @throws {TypeError} for `undefined`, because one driver would reject `undefined` and the other driver would send null
 */
export function toParameter(value: unknown): unknown {
  if (value === undefined) throw new TypeError('A parameter of a statement is undefined')
  if (Array.isArray(value)) return serializers[textArray]?.(value)
  return value instanceof Date || typeof value === 'bigint' ? toText(value) : value
}

function toText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** Converts an instant from the session's time zone to UTC, the time zone of `Database` sessions. Keeps microseconds. */
function inUtc(instant: string): string {
  const [, second, fraction = '', offset] =
    /^(\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d)(\.\d+)?([+-][\d:]+)$/.exec(instant) ?? []
  if (second === undefined || offset === undefined || offset === '+00') return instant
  const minutes = offset.length === 3 ? ':00' : ''
  const moment = new Date(`${second.replace(' ', 'T')}${offset}${minutes}`)
  if (Number.isNaN(moment.getTime())) return instant
  return `${moment.toISOString().slice(0, 19).replace('T', ' ')}${fraction}+00`
}
