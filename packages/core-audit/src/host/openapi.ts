import type { Hono } from 'hono'
import type * as v from 'valibot'
import { permissionsOf, type RequiredPermission } from '../access/caller.ts'
import type { ErrorTable } from '../errors.ts'
import { type ApiDescription, type ApiResponse, describedBy } from '../http/api.ts'
import { ProblemDetails } from '../http/contract.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { createOpenApiSchemas, type OpenApiSchemas } from './openapi-schemas.ts'

/** A piece of an OpenAPI document; the specification defines its shape. */
type Json = Record<string, unknown>

export interface OpenApiOptions {
  readonly title: string
  readonly version: string
  /** The error codes of all mounted modules. */
  readonly errors: ErrorTable
}

type DescribedApplication = Pick<Hono<KitEnv>, 'routes'>

/** Error codes that every endpoint can return. */
const commonErrors = [
  'auth.required',
  'auth.inactive',
  'request.rate_limited',
  'service.unavailable',
  'internal',
] as const

/** An endpoint with its method and path. */
interface Endpoint {
  readonly method: string
  readonly path: string
  readonly description: Description
}

type Description = ApiDescription<v.GenericSchema | undefined, v.GenericSchema | undefined>

/**
 * Generates the OpenAPI 3.1 description of every route with `api()`. It reads the schemas that validate requests, so the
 * description always matches the service.
 *
 * @throws {TypeError} when an endpoint names an unknown error code, or when two endpoints have the same operation id or the same
 *   route, or two schemas have the same name
 */
export function openApiDocument(app: DescribedApplication, options: OpenApiOptions): Json {
  const endpoints = endpointsOf(app)
  refuseRepeated(
    'operation id',
    endpoints.map(({ description }) => description.operationId),
  )
  refuseRepeated('route', endpoints.map(routeOf))
  const schemas = createOpenApiSchemas([ProblemDetails, ...endpoints.flatMap(schemasOf)])
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method]: operation(endpoint, options, schemas),
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: options.title, version: options.version },
    components: {
      schemas: schemas.components,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
    security: [{ bearer: [] }],
    paths,
  }
}

function endpointsOf(app: DescribedApplication): readonly Endpoint[] {
  return app.routes.flatMap(({ method, path, handler }) => {
    const description = describedBy(handler) as Description | undefined
    if (description === undefined) return []
    return [{ method: method.toLowerCase(), path: path.replace(/:(\w+)/g, '{$1}'), description }]
  })
}

function refuseRepeated(what: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new TypeError(`Two endpoints have the ${what} ${twice}`)
}

/** Names of parameters do not distinguish routes: Hono would call only the first of `/a/:id` and `/a/:code`. */
const routeOf = ({ method, path }: Endpoint): string =>
  `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`

function schemasOf({ description }: Endpoint): readonly v.GenericSchema[] {
  const responses = Object.values(description.responses).map((response) => response.schema)
  return [description.query, description.body, ...responses].filter((schema) => schema !== undefined)
}

function operation({ path, description }: Endpoint, options: OpenApiOptions, schemas: OpenApiSchemas): Json {
  const { query, body, permission } = description
  return {
    operationId: description.operationId,
    tags: [description.tag],
    summary: description.summary,
    ...(description.description === undefined ? {} : { description: description.description }),
    ...(description.deprecation === undefined ? {} : { deprecated: true }),
    ...(permission === undefined ? {} : permissions(permission)),
    parameters: [
      ...pathParameters(path),
      ...queryParameters(query, schemas),
      ...headerParameters(description.headers ?? {}),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: content(body, schemas) } }),
    responses: {
      ...successes(description.responses, schemas),
      ...failures(description, options.errors),
    },
  }
}

function permissions(required: RequiredPermission): Json {
  const [permission, ...alternatives] = permissionsOf(required)
  return {
    'x-permission': permission,
    ...(alternatives.length === 0 ? {} : { 'x-permission-alternatives': alternatives }),
  }
}

function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters(query: v.GenericSchema | undefined, schemas: OpenApiSchemas): readonly Json[] {
  if (query === undefined) return []
  const { properties = {}, required = [] } = schemas.schemaOf(query)
  return Object.entries(properties as Json).map(([name, schema]) => ({
    name,
    in: 'query',
    required: (required as readonly string[]).includes(name),
    schema,
  }))
}

function headerParameters(headers: NonNullable<Description['headers']>): readonly Json[] {
  return Object.entries(headers).map(([name, { description, isRequired }]) => ({
    name,
    in: 'header',
    required: isRequired,
    description,
    schema: { type: 'string' },
  }))
}

function successes(responses: Readonly<Record<number, ApiResponse>>, schemas: OpenApiSchemas): Json {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, schema, textTypes = [] }]) => [
      status,
      {
        description,
        ...(schema && {
          content: {
            ...content(schema, schemas),
            ...Object.fromEntries(textTypes.map((type) => [type, { schema: { type: 'string' } }])),
          },
        }),
      },
    ]),
  )
}

/** Combines the error codes of each status into one response, because OpenAPI allows only one response for each status. */
function failures(description: Description, table: ErrorTable): Json {
  const byStatus = new Map<number, string[]>()
  for (const code of codesOf(description)) {
    const rule = table[code]
    if (rule === undefined)
      throw new TypeError(`${description.operationId} names the unknown error code ${code}`)
    byStatus.set(rule.status, [...(byStatus.get(rule.status) ?? []), `\`${code}\`: ${rule.detail}`])
  }
  const reference = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } },
  }
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [status, { description: lines.join('\n\n'), content: reference }]),
  )
}

function codesOf(description: Description): readonly string[] {
  return [
    ...(description.permission === undefined ? [] : ['permission.denied']),
    ...(description.query === undefined ? [] : ['request.invalid']),
    ...(description.body === undefined
      ? []
      : ['request.invalid', 'request.malformed', 'request.too_large', 'request.unsupported_media_type']),
    ...(description.errors ?? []),
    ...commonErrors,
  ].filter((code, index, all) => all.indexOf(code) === index)
}

const content = (schema: v.GenericSchema, schemas: OpenApiSchemas): Json => ({
  'application/json': { schema: schemas.schemaOf(schema) },
})
