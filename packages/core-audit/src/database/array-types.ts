/** Conversions between PostgreSQL's text format and JavaScript values, keyed by type OID (like options of postgres.js). */
export interface TypeConversions {
  readonly parsers: Record<number, (text: string) => unknown>
  readonly serializers: Record<number, (value: unknown) => unknown>
}

/** Maps the OID of each built-in type to the OID of its array type. `pg_type.dat` defines these OIDs for every server. */
export const arrayTypes: ReadonlyMap<number, number> = new Map([
  [16, 1000], // boolean
  [17, 1001], // bytea
  [19, 1003], // name
  [20, 1016], // bigint
  [21, 1005], // smallint
  [23, 1007], // integer
  [25, 1009], // text
  [26, 1028], // oid
  [114, 199], // json
  [650, 651], // cidr
  [700, 1021], // real
  [701, 1022], // double precision
  [869, 1041], // inet
  [1042, 1014], // char(n)
  [1043, 1015], // varchar
  [1082, 1182], // date
  [1083, 1183], // time
  [1114, 1115], // timestamp
  [1184, 1185], // timestamptz
  [1186, 1187], // interval
  [1266, 1270], // timetz
  [1700, 1231], // numeric
  [2205, 2210], // regclass
  [2206, 2211], // regtype
  [2950, 2951], // uuid
  [3802, 3807], // jsonb
])

/**
 * Adds a conversion for each array type, based on the conversion of its element type. Without these conversions,
 * postgres.js would query the array types on every new connection. If a connection is lost during that query, no code can
 * handle the resulting rejection.
 *
 * Arrays of an application's own enums, domains and composites are returned as text. To receive an array, cast to `text[]`.
 *
 * @see https://github.com/porsager/postgres/issues/1205
 */
export function addArrayTypes({ parsers, serializers }: TypeConversions): void {
  for (const [element, array] of arrayTypes) {
    const parse = parsers[element] ?? asIs
    const serialize = serializers[element] ?? String
    parsers[array] = (text) => parseArray(text, parse)
    serializers[array] = (value) => (Array.isArray(value) ? writeArray(value, serialize) : value)
  }
}

const asIs = (value: string): unknown => value

/** Matches a brace, a quoted element or an unquoted element, but no comma. `parseArray` removes bounds (`[0:1]=`). */
const tokens = /[{}]|"(?:[^"\\]|\\.)*"|[^{},"]+/gs

function parseArray(text: string, parse: (text: string) => unknown): unknown {
  const root: unknown[] = []
  const open: unknown[][] = [root]
  for (const [token] of text.slice(text.indexOf('{')).matchAll(tokens)) {
    if (token === '}') open.pop()
    else if (token === '{') {
      const inner: unknown[] = []
      open.at(-1)?.push(inner)
      open.push(inner)
    } else open.at(-1)?.push(parseElement(token, parse))
  }
  return root[0]
}

function parseElement(token: string, parse: (text: string) => unknown): unknown {
  if (token === 'NULL') return null
  return parse(token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : token)
}

function writeArray(values: readonly unknown[], serialize: (value: unknown) => unknown): string {
  return `{${values.map((value) => writeElement(value, serialize)).join()}}`
}

function writeElement(value: unknown, serialize: (value: unknown) => unknown): string {
  if (value === null) return 'null'
  if (value === undefined) throw new TypeError('An array parameter contains undefined')
  if (Array.isArray(value)) return writeArray(value, serialize)
  return `"${String(serialize(value)).replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
