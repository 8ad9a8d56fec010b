import type { Context, MiddlewareHandler, Next } from 'hono'
import * as v from 'valibot'
import { type RequiredPermission, requirePermission } from '../access/caller.ts'
import { CoreError, type FieldError } from '../errors.ts'
import { checkIgnoredBody, defaultBodyLimitBytes, readJson } from './body.ts'
import type { KitEnv } from './kit-env.ts'
import { misplacedArray } from './misplaced-array.ts'

type Schema = v.GenericSchema<unknown, unknown>
type Output<S> = S extends Schema ? v.InferOutput<S> : undefined

/** A check that runs before all other checks of an endpoint. It throws to reject the request. */
export type Guard = (c: Context<KitEnv>) => void | Promise<void>

/** The description of the response with one status. */
export interface ApiResponse {
  readonly description: string
  /** Schema of the JSON content. */
  readonly schema?: Schema
  /** Media types of text that the endpoint returns instead of JSON if the client accepts one of them. */
  readonly textTypes?: readonly string[]
}

/** A request header that an endpoint reads. */
export interface ApiHeader {
  readonly description: string
  readonly isRequired: boolean
}

/** When an endpoint was deprecated, and its replacement. */
export interface ApiDeprecation {
  /** ISO 8601, also for a time in the future. */
  readonly sinceUtc: string
  /** The address of the replacement, relative to the address of this endpoint. */
  readonly successor: string
}

/** The description of one endpoint: permission, input and output. It is used for validation and for documentation. */
export interface ApiDescription<Query, Body> {
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Announces the deprecation in the documentation and in every response: headers `Deprecation` (RFC 9745) and `Link`. */
  readonly deprecation?: ApiDeprecation
  /** Feature guards. They run in order, before the permission check. */
  readonly guards?: readonly Guard[]
  /** The required permission, checked before the input is read. With alternatives, the handler checks which one applies. */
  readonly permission?: RequiredPermission
  /** Headers that the handler reads. They are documented, but not validated. */
  readonly headers?: Readonly<Record<string, ApiHeader>>
  /**
   * Schema of the query string. Empty parameters count as absent, unknown parameters are ignored, and a repeated parameter is
   * refused.
   */
  readonly query?: Query
  /** Schema of the JSON body; unknown properties are ignored unless the schema is strict. */
  readonly body?: Body
  /** Maximum size of a body, also of one that the endpoint ignores because it has no schema for it. The default is 1 MiB. */
  readonly bodyLimitBytes?: number
  readonly responses: Readonly<Record<number, ApiResponse>>
  /** The endpoint's own error codes. The documentation adds the codes that every endpoint can return. */
  readonly errors?: readonly string[]
}

type Valid<Query, Body> = { out: { query: Output<Query>; json: Output<Body> } }

/** The symbol is global, so that routes from another installed copy of the package are documented too. */
const described = Symbol.for('vertical-kit.api')

/**
 * Returns the middleware of one endpoint. It checks the guards, then the permission, then the query and then the body. The
 * handler reads the parsed values with `c.req.valid('query')` and `c.req.valid('json')`. The response has the header
 * `Cache-Control: no-store` unless the handler sets this header.
 *
 * @throws {CoreError} permission.denied · request.invalid · request.malformed · request.too_large ·
 *   request.unsupported_media_type
 */
export function api<
  const Query extends Schema | undefined = undefined,
  const Body extends Schema | undefined = undefined,
>(description: ApiDescription<Query, Body>): MiddlewareHandler<KitEnv, string, Valid<Query, Body>> {
  const { guards = [], permission, query, body, bodyLimitBytes = defaultBodyLimitBytes } = description
  const deprecated = deprecationHeaders(description.deprecation)
  const middleware = async (c: Context<KitEnv>, next: Next): Promise<void> => {
    // Hono keeps the headers of `c.res` when a handler or an error handler replaces the response.
    for (const [name, value] of deprecated) c.res.headers.append(name, value)
    for (const guard of guards) await guard(c)
    if (permission !== undefined) requirePermission(c.get('caller'), permission)
    if (query !== undefined)
      c.req.addValidatedData('query', parseRequest(query, readQuery(c, query)) as object)
    if (body === undefined) await checkIgnoredBody(c, bodyLimitBytes)
    else {
      const json = await readJson(c, bodyLimitBytes)
      c.set('json', json)
      c.req.addValidatedData('json', parseRequest(body, json) as object)
    }
    await next()
    // Every response depends on the caller. If requests use a session cookie, a cache could share the response with other
    // users.
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
  }
  return Object.assign(middleware, { [described]: description })
}

/**
 * Returns the query parameters. Omits empty ones, which forms send for fields without a value.
 * @throws {CoreError} request.malformed for invalid UTF-8; request.invalid for a parameter of the schema that has
 *   several values: with `dryRun=&dryRun=true`, the client means one of them, and the other one would decide
 */
function readQuery(c: Context, schema: Schema): Record<string, string> {
  const { url } = c.req
  requireUtf8(url.includes('?') ? url.slice(url.indexOf('?')) : '')
  const parameters = Object.entries(c.req.queries())
  const known = 'entries' in schema ? (schema.entries as object) : {}
  const errors = parameters
    .filter(([name, { length }]) => length > 1 && Object.hasOwn(known, name))
    .map(([path]) => ({ path, message: 'must not be repeated' }))
  if (errors.length > 0) throw new CoreError('request.invalid', { errors })
  return Object.fromEntries(
    parameters.flatMap(([name, [value = '']]) => (value === '' ? [] : [[name, value]])),
  )
}

/** Throws for invalid UTF-8, such as `%FF`. Hono would pass it on as this text. A bare `%` stays a percent sign. */
function requireUtf8(query: string): void {
  if (!query.includes('%')) return
  try {
    decodeURIComponent(query.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch (cause) {
    throw new CoreError('request.malformed', { detail: 'The query is not valid UTF-8.', cause })
  }
}

function deprecationHeaders(deprecation: ApiDeprecation | undefined): readonly [string, string][] {
  if (deprecation === undefined) return []
  return [
    ['Deprecation', `@${Date.parse(deprecation.sinceUtc) / 1000}`],
    ['Link', `<${deprecation.successor}>; rel="successor-version"`],
  ]
}

/** Returns the description of a handler that {@link api} created; `undefined` for any other handler. */
export function describedBy(handler: object): ApiDescription<unknown, unknown> | undefined {
  return Reflect.get(handler, described) as ApiDescription<unknown, unknown> | undefined
}

/**
 * Validates input from a client and returns the parsed value.
 * @throws {CoreError} request.invalid, with the path of each invalid field and of each property that a strict schema does
 *   not define
 */
export function parseRequest<S extends Schema>(schema: S, input: unknown): v.InferOutput<S> {
  const path = misplacedArray(schema, input)
  if (path !== undefined) {
    throw new CoreError('request.invalid', { errors: [{ path, message: 'expected Object' }] })
  }
  // A 1 MB body can contain half a million errors. To collect all of them would take half a second and 300 MB.
  const isLarge = holdsMoreThan(input, maxFullyCheckedValues)
  const result = v.safeParse(schema, input, { abortEarly: isLarge })
  if (result.success) return result.output
  const { issues, output } = result
  const errors = isLarge ? issues.map(fieldError) : issues.flatMap((issue) => fieldErrors(issue, output))
  throw new CoreError('request.invalid', { errors: errors.slice(0, maxFieldErrors) })
}

/** Maximum number of values in an input that is checked completely. A larger input is checked until the first error. */
const maxFullyCheckedValues = 5_000

/** Maximum number of reported errors. A developer fixes fewer errors in one step. */
const maxFieldErrors = 100

function holdsMoreThan(input: unknown, limit: number): boolean {
  let count = 0
  const visit = (value: unknown): boolean => {
    count += 1
    if (count > limit) return true
    return typeof value === 'object' && value !== null && Object.values(value).some(visit)
  }
  return visit(input)
}

/** Returns the error of an issue. Adds the object's other unknown properties, because valibot reports only the first. */
function fieldErrors(issue: v.BaseIssue<unknown>, output: unknown): readonly FieldError[] {
  const first = fieldError(issue)
  const last = issue.path?.at(-1)
  const isUnknownProperty = issue.type === 'strict_object' && issue.expected === 'never'
  if (!isUnknownProperty || last === undefined) return [first]
  // If a strict object fails, its output contains exactly the sent properties that the schema defines.
  const known = issue.path?.slice(0, -1).reduce((value, { key }) => propertyOf(value, key), output)
  const parentPath = first.path.slice(0, first.path.length - String(last.key).length)
  return Object.keys(last.input as object)
    .filter((name) => name === last.key || (isObject(known) && !Object.hasOwn(known, name)))
    .map((name) => ({ ...first, path: parentPath + name }))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const propertyOf = (value: unknown, key: unknown): unknown =>
  isObject(value) ? Reflect.get(value, key as PropertyKey) : undefined

/** Returns an error that names only the expected value, because valibot's messages quote the received value. */
function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  const path = v.getDotPath(issue) ?? ''
  if (issue.input === undefined) return { path, message: 'is required' }
  if (issue.expected === 'never') return { path, message: 'is not a known property' }
  if (issue.type === 'non_empty') return { path, message: 'must not be empty' }
  const quotesInput = issue.kind === 'schema' || /received/i.test(issue.message)
  return { path, message: quotesInput ? `expected ${issue.expected ?? 'another value'}` : issue.message }
}
