import type { Context, MiddlewareHandler, Next } from 'hono'
import * as v from 'valibot'
import { type RequiredPermission, requirePermission } from '../access/caller.ts'
import { CoreError, type FieldError } from '../errors.ts'
import { defaultBodyLimitBytes, readJson } from './body.ts'
import type { KitEnv } from './kit-env.ts'

type Schema = v.GenericSchema<unknown, unknown>
type Output<S> = S extends Schema ? v.InferOutput<S> : undefined

/** Runs before everything else an endpoint checks; refuses by throwing. */
export type Guard = (c: Context<KitEnv>) => void | Promise<void>

/** What goes out with a status. */
export interface ApiResponse {
  readonly description: string
  readonly schema?: Schema
}

/** A request header an endpoint goes by. */
export interface ApiHeader {
  readonly description: string
  readonly isRequired: boolean
}

/** One endpoint, said once: who may, what comes in, what goes out. It validates, and it is the documentation. */
export interface ApiDescription<Query, Body> {
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Checked in order, before the permission: feature guards. */
  readonly guards?: readonly Guard[]
  /** Checked before the request is read, so that a refusal says nothing about it. The handler decides between several. */
  readonly permission?: RequiredPermission
  /** Headers the handler reads by itself, for the documentation. */
  readonly headers?: Readonly<Record<string, ApiHeader>>
  /** Of the query string; unknown parameters are ignored. */
  readonly query?: Query
  /** Of the JSON body; unknown properties are ignored. */
  readonly body?: Body
  readonly bodyLimitBytes?: number
  readonly responses: Readonly<Record<number, ApiResponse>>
  /** The codes of its own it can answer with; those every endpoint can are added. */
  readonly errors?: readonly string[]
}

type Valid<Query, Body> = { out: { query: Output<Query>; json: Output<Body> } }

/** For all installed copies of the package: a route of another copy is described like one of this. */
const described = Symbol.for('vertical-kit.api')

/**
 * The middleware of one endpoint: guards, then the permission, then query and body. The handler behind it finds them
 * parsed: `c.req.valid('query')`, `c.req.valid('json')`. The response has `Cache-Control: no-store`, unless the handler
 * sets another one.
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
    // Every answer depends on the caller. With a session in a cookie, caches would take it for one that all may share.
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
  }
  return Object.assign(middleware, { [described]: description })
}

/** What {@link api} was told about an endpoint, given the handler it made; `undefined` for any other handler. */
export function describedBy(handler: object): ApiDescription<unknown, unknown> | undefined {
  return Reflect.get(handler, described) as ApiDescription<unknown, unknown> | undefined
}

/**
 * Parses what came from outside.
 * @throws {CoreError} request.invalid, every wrong field with its path, and every property a strict schema does not know
 */
export function parseRequest<S extends Schema>(schema: S, input: unknown): v.InferOutput<S> {
  // A body of a megabyte can be wrong half a million times, which takes half a second and 300 MB to find out.
  const isLarge = holdsMoreThan(input, maxValuesToldAll)
  const result = v.safeParse(schema, input, { abortEarly: isLarge })
  if (result.success) return result.output
  const { issues, output } = result
  const errors = isLarge ? issues.map(fieldError) : issues.flatMap((issue) => fieldErrors(issue, output))
  throw new CoreError('request.invalid', { errors: errors.slice(0, maxFieldErrors) })
}

/** Past so many values, a request is told the first that is wrong, and not every one. */
const maxValuesToldAll = 5_000

/** More than anybody mends at once. */
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

/** One error for each issue, except for unknown properties: valibot reports only the first one of an object. */
function fieldErrors(issue: v.BaseIssue<unknown>, output: unknown): readonly FieldError[] {
  const first = fieldError(issue)
  const last = issue.path?.at(-1)
  const isUnknownProperty = issue.type === 'strict_object' && issue.expected === 'never'
  if (!isUnknownProperty || last === undefined) return [first]
  // The output of a failed strict object holds exactly the sent properties that its schema knows.
  const known = issue.path?.slice(0, -1).reduce((value, { key }) => propertyOf(value, key), output)
  const parentPath = first.path.slice(0, first.path.length - String(last.key).length)
  return Object.keys(last.input as object)
    .filter((name) => name === last.key || (isObject(known) && !Object.hasOwn(known, name)))
    .map((name) => ({ ...first, path: parentPath + name }))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const propertyOf = (value: unknown, key: unknown): unknown =>
  isObject(value) ? Reflect.get(value, key as PropertyKey) : undefined

/** Valibot's own messages quote what was received; ours name what was expected. */
function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  const path = v.getDotPath(issue) ?? ''
  if (issue.input === undefined) return { path, message: 'is required' }
  if (issue.expected === 'never') return { path, message: 'is not a known property' }
  if (issue.type === 'non_empty') return { path, message: 'must not be empty' }
  const quotesInput = issue.kind === 'schema' || /received/i.test(issue.message)
  return { path, message: quotesInput ? `expected ${issue.expected ?? 'another value'}` : issue.message }
}
