import type { Context, MiddlewareHandler, Next } from 'hono'
import * as v from 'valibot'
import { type RequiredPermission, requirePermission } from '../access/caller.ts'
import { CoreError, type FieldError } from '../errors.ts'
import { defaultBodyLimitBytes, readJson } from './body.ts'
import type { KitEnv } from './kit-env.ts'

type Schema = v.GenericSchema<unknown, unknown>
type Output<S> = S extends Schema ? v.InferOutput<S> : undefined

/** Runs before all other checks of an endpoint; throws to reject the request. */
export type Guard = (c: Context<KitEnv>) => void | Promise<void>

/** The response of one status. */
export interface ApiResponse {
  readonly description: string
  readonly schema?: Schema
}

/** A request header that an endpoint reads. */
export interface ApiHeader {
  readonly description: string
  readonly isRequired: boolean
}

/** The description of one endpoint: permission, input and output. It validates requests and generates the documentation. */
export interface ApiDescription<Query, Body> {
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Feature guards, run in order before the permission check. */
  readonly guards?: readonly Guard[]
  /** Checked before the request is read, so a refusal reveals nothing about it. With alternatives, the handler decides. */
  readonly permission?: RequiredPermission
  /** Headers that the handler itself reads; for documentation only. */
  readonly headers?: Readonly<Record<string, ApiHeader>>
  /** Schema of the query string; unknown parameters are ignored. */
  readonly query?: Query
  /** Schema of the JSON body; unknown properties are ignored unless the schema is strict. */
  readonly body?: Body
  readonly bodyLimitBytes?: number
  readonly responses: Readonly<Record<number, ApiResponse>>
  /** The endpoint's own error codes; codes that every endpoint can return are added. */
  readonly errors?: readonly string[]
}

type Valid<Query, Body> = { out: { query: Output<Query>; json: Output<Body> } }

/** A global symbol, so that routes from another installed copy of the package are documented too. */
const described = Symbol.for('vertical-kit.api')

/**
 * Returns the middleware of one endpoint, which checks guards, then the permission, then query and body. The handler reads
 * the parsed values: `c.req.valid('query')`, `c.req.valid('json')`. The response has `Cache-Control: no-store` unless the
 * handler sets this header.
 *
 * @throws {CoreError} permission.denied · request.invalid · request.malformed · request.too_large ·
 *   request.unsupported_media_type
 */
export function api<
  const Query extends Schema | undefined = undefined,
  const Body extends Schema | undefined = undefined,
>(description: ApiDescription<Query, Body>): MiddlewareHandler<KitEnv, string, Valid<Query, Body>> {
  const { guards = [], permission, query, body, bodyLimitBytes = defaultBodyLimitBytes } = description
  const middleware = async (c: Context<KitEnv>, next: Next): Promise<void> => {
    for (const guard of guards) await guard(c)
    if (permission !== undefined) requirePermission(c.get('caller'), permission)
    if (query !== undefined) c.req.addValidatedData('query', parseRequest(query, c.req.query()) as object)
    if (body !== undefined) {
      const json = await readJson(c, bodyLimitBytes)
      c.set('json', json)
      c.req.addValidatedData('json', parseRequest(body, json) as object)
    }
    await next()
    // Every response depends on the caller. With a session cookie, a cache would treat it as shared.
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
  }
  return Object.assign(middleware, { [described]: description })
}

/** Returns the description behind a handler made by {@link api}; `undefined` for any other handler. */
export function describedBy(handler: object): ApiDescription<unknown, unknown> | undefined {
  return Reflect.get(handler, described) as ApiDescription<unknown, unknown> | undefined
}

/**
 * Parses input from outside.
 * @throws {CoreError} request.invalid, with the path of every invalid field and of every property unknown to a strict
 *   schema
 */
export function parseRequest<S extends Schema>(schema: S, input: unknown): v.InferOutput<S> {
  // A 1 MB body can contain half a million errors; collecting them takes half a second and 300 MB.
  const isLarge = holdsMoreThan(input, maxFullyCheckedValues)
  const result = v.safeParse(schema, input, { abortEarly: isLarge })
  if (result.success) return result.output
  const { issues, output } = result
  const errors = isLarge ? issues.map(fieldError) : issues.flatMap((issue) => fieldErrors(issue, output))
  throw new CoreError('request.invalid', { errors: errors.slice(0, maxFieldErrors) })
}

/** For a larger input, only the first invalid field is reported. */
const maxFullyCheckedValues = 5_000

/** More errors than a developer fixes in one step. */
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

/** Returns one error per issue, or one per unknown property: valibot reports only the first one of an object. */
function fieldErrors(issue: v.BaseIssue<unknown>, output: unknown): readonly FieldError[] {
  const first = fieldError(issue)
  const last = issue.path?.at(-1)
  const isUnknownProperty = issue.type === 'strict_object' && issue.expected === 'never'
  if (!isUnknownProperty || last === undefined) return [first]
  // The output of a failed strict object contains exactly the sent properties that its schema knows.
  const known = issue.path?.slice(0, -1).reduce((value, { key }) => propertyOf(value, key), output)
  const parentPath = first.path.slice(0, first.path.length - String(last.key).length)
  return Object.keys(last.input as object)
    .filter((name) => name === last.key || (isObject(known) && !Object.hasOwn(known, name)))
    .map((name) => ({ ...first, path: parentPath + name }))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const propertyOf = (value: unknown, key: unknown): unknown =>
  isObject(value) ? Reflect.get(value, key as PropertyKey) : undefined

/** Valibot's messages quote the received value; ours name the expected one. */
function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  const path = v.getDotPath(issue) ?? ''
  if (issue.input === undefined) return { path, message: 'is required' }
  if (issue.expected === 'never') return { path, message: 'is not a known property' }
  if (issue.type === 'non_empty') return { path, message: 'must not be empty' }
  const quotesInput = issue.kind === 'schema' || /received/i.test(issue.message)
  return { path, message: quotesInput ? `expected ${issue.expected ?? 'another value'}` : issue.message }
}
