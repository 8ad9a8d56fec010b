import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type * as v from 'valibot'

type Json = Record<string, unknown>

/** The schemas of an OpenAPI document. Named schemas are components; all other schemas are inline. */
export interface OpenApiSchemas {
  /** The entries of `components.schemas`, indexed by name. */
  readonly components: Readonly<Record<string, Json>>
  /** Returns a schema for inline use, with references to the named schemas in it. */
  schemaOf(schema: v.GenericSchema): Json
}

/**
 * Converts schemas to JSON Schema 2020-12, the dialect of OpenAPI 3.1. A schema with a `ref` in its metadata becomes a
 * component with that name, wherever the schema occurs.
 *
 * @throws {TypeError} when two different schemas have the same name
 */
export function createOpenApiSchemas(roots: readonly v.GenericSchema[]): OpenApiSchemas {
  const definitions = namedSchemas(roots)
  const options = {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
    definitions,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction.type !== 'metadata') return undefined
      // The name is the key of the component, so the component itself does not contain it.
      const { ref: _, ...rest } = jsonSchema as Json
      return rest
    },
  } satisfies Parameters<typeof toJsonSchema>[1]
  if (!Object.values(definitions).every((schema) => components.has(schema))) {
    for (const [name, component] of Object.entries(toJsonSchemaDefs(definitions, options))) {
      const schema = definitions[name]
      if (schema !== undefined) components.set(schema, component as Json)
    }
  }
  return {
    components: Object.fromEntries(
      Object.entries(definitions).map(([name, schema]) => [name, components.get(schema) ?? {}]),
    ),
    schemaOf(schema) {
      const known = inline.get(schema)
      if (known !== undefined) return known
      const { $schema: _, $defs: __, ...converted } = toJsonSchema(schema, options) as Json
      inline.set(schema, converted)
      return converted
    },
  }
}

/**
 * The converted schemas of this process. The result depends only on the schema, and the hosts of many tenants have the same
 * schemas.
 */
const components = new WeakMap<v.GenericSchema, Json>()
const inline = new WeakMap<v.GenericSchema, Json>()

function namedSchemas(roots: readonly v.GenericSchema[]): Record<string, v.GenericSchema> {
  const named: Record<string, v.GenericSchema> = {}
  const seen = new Set<object>()
  const visit = (schema: v.GenericSchema): void => {
    if (seen.has(schema)) return
    seen.add(schema)
    const name = nameOf(schema)
    if (name !== undefined) {
      if (Object.hasOwn(named, name)) throw new TypeError(`Two schemas have the name ${name}`)
      named[name] = schema
    }
    for (const inner of innerSchemas(schema)) visit(inner)
  }
  for (const root of roots) visit(root)
  return named
}

function nameOf(schema: v.GenericSchema): string | undefined {
  for (const action of partsOf(schema)) {
    const metadata = action['metadata'] as Json | undefined
    if (action['type'] === 'metadata' && typeof metadata?.['ref'] === 'string') return metadata['ref']
  }
  return undefined
}

const partsOf = (schema: v.GenericSchema): readonly Json[] =>
  'pipe' in schema ? (schema.pipe as readonly Json[]) : []

/** The properties of Valibot schemas that contain other schemas: a single schema, a list or a record. */
const holders = ['entries', 'item', 'items', 'rest', 'options', 'wrapped', 'key', 'value'] as const

function innerSchemas(schema: v.GenericSchema): readonly v.GenericSchema[] {
  const held = holders.map((holder): unknown => Reflect.get(schema, holder))
  // Skip the first part of a pipe: it is the schema itself without its name.
  const candidates = [...held, ...partsOf(schema).slice(1)]
  return candidates.flatMap((candidate) => (isSchema(candidate) ? [candidate] : listed(candidate)))
}

const listed = (candidate: unknown): readonly v.GenericSchema[] =>
  typeof candidate === 'object' && candidate !== null ? Object.values(candidate).filter(isSchema) : []

const isSchema = (value: unknown): value is v.GenericSchema =>
  typeof value === 'object' && value !== null && Reflect.get(value, 'kind') === 'schema'
