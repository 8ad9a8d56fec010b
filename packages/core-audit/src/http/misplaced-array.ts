import type * as v from 'valibot'

/** The properties of the kinds of valibot schemas that contain other schemas. */
interface Node {
  readonly kind: 'schema' | 'validation' | 'transformation' | 'metadata'
  readonly type: string
  readonly pipe?: readonly Node[]
  /** The inner schema of `optional`, `nullable` and similar schemas. */
  readonly wrapped?: Node
  readonly getter?: (input: unknown) => Node
  /** Schemas, if the type is `union`, `variant` or `intersect`. */
  readonly options?: readonly Node[]
  readonly entries?: Readonly<Record<string, Node>>
  readonly item?: Node
  readonly items?: readonly Node[]
  /** The schema of each value of a `record`. */
  readonly value?: Node
}

type Path = readonly string[]

/**
 * Returns the path of the first array for which the schema expects an object, such as `lines.0`; `undefined` if there is
 * none. valibot accepts an array as an object without its elements. Follows the input until the first transformation.
 */
export function misplacedArray(schema: v.GenericSchema, input: unknown): string | undefined {
  return find(schema as unknown as Node, input)?.join('.')
}

function find(schema: Node, input: unknown): Path | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  if (schema.pipe !== undefined) return findInPipe(schema.pipe, input)
  if (schema.wrapped !== undefined) return find(schema.wrapped, input)
  if (schema.getter !== undefined) return find(schema.getter(input), input)
  const { type, options = [], entries, value, item, items } = schema
  if (type === 'intersect') return first(options, (option) => find(option, input))
  if (type === 'union' || type === 'variant') {
    const paths = options.map((option) => find(option, input))
    return paths.includes(undefined) ? undefined : paths[0]
  }
  if (item !== undefined || items !== undefined) {
    return first(Object.entries(input), ([key, inner]) => findBelow(key, item ?? items?.[Number(key)], inner))
  }
  if (entries === undefined && value === undefined) return undefined
  if (Array.isArray(input)) return []
  return first(Object.entries(input), ([key, inner]) => {
    const isKnown = entries !== undefined && Object.hasOwn(entries, key)
    return findBelow(key, isKnown ? entries[key] : value, inner)
  })
}

/** Only the first specific schema of a pipe describes the input. `unknown` and `any` accept everything. */
function findInPipe(pipe: readonly Node[], input: object): Path | undefined {
  const next = pipe.find(
    ({ kind, type }) =>
      kind === 'transformation' || (kind === 'schema' && type !== 'unknown' && type !== 'any'),
  )
  return next?.kind === 'schema' ? find(next, input) : undefined
}

function findBelow(key: string, schema: Node | undefined, input: unknown): Path | undefined {
  const path = schema === undefined ? undefined : find(schema, input)
  return path && [key, ...path]
}

function first<T>(list: readonly T[], search: (one: T) => Path | undefined): Path | undefined {
  for (const one of list) {
    const path = search(one)
    if (path !== undefined) return path
  }
  return undefined
}
