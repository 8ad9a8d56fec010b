/** The HTTP status and the message of one error code. `Context` is the type of the error's additional data. */
export interface ErrorRule<Context extends object | undefined = undefined> {
  readonly status: number
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
  /** Declares the type of the context. This property is never set. */
  readonly context?: Context
}

/** The rule of each error code. Each package has one table with all its codes. */
export type ErrorTable = Readonly<Record<string, ErrorRule<object | undefined>>>

/** One invalid field of a request. `path` is the position of the field, for example `target.kind` or `limit`. */
export interface FieldError {
  readonly path: string
  readonly message: string
}

/** The details of one refusal. `context` has the type that the code's rule declares. */
export interface KitErrorOptions<Context extends object | undefined = object | undefined> {
  /** Replaces the table's message with a more specific message, which must not contain data of other users. */
  readonly detail?: string
  readonly context?: Context
  readonly errors?: readonly FieldError[]
  /** Response headers in addition to those of the table, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>
  /** Appears only in the log, never in the response. */
  readonly cause?: unknown
}

/** A refusal with a stable code. {@link isKitError} detects refusals, even those of another installed copy of a package. */
export interface KitError<Code extends string = string> extends Error {
  readonly code: Code
  readonly status: number
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly context?: object
  readonly errors?: readonly FieldError[]
}

/** The error class of a package, for example `NotesError` in `new NotesError('notes.deleted')`. */
export interface ErrorClass<Table extends ErrorTable> {
  readonly table: Table
  new <Code extends keyof Table & string>(
    code: Code,
    options?: KitErrorOptions<Exclude<Table[Code]['context'], undefined>>,
  ): KitError<Code>
}

const brand = Symbol.for('vertical-kit.error')

/** Returns whether a thrown value is a refusal of a Vertical Kit package, even of another installed copy of the package. */
export function isKitError(value: unknown): value is KitError {
  return typeof value === 'object' && value !== null && brand in value
}

/**
 * Returns one rule of an error table: the HTTP status and a message for the user. If the error has additional data, declare
 * the type of the data: `refusal<{ maxBytes: number }>(413, …)`.
 */
export function refusal(status: number, detail: string, headers?: Readonly<Record<string, string>>): ErrorRule
export function refusal<Context extends object>(
  status: number,
  detail: string,
  headers?: Readonly<Record<string, string>>,
): ErrorRule<Context>
export function refusal(
  status: number,
  detail: string,
  headers?: Readonly<Record<string, string>>,
): ErrorRule {
  return headers === undefined ? { status, detail } : { status, detail, headers }
}

/** Creates a package's error class from its table. */
export function defineErrors<const Table extends ErrorTable>(name: string, table: Table): ErrorClass<Table> {
  class Refusal extends Error {
    static readonly table = table
    readonly [brand] = true
    readonly code: string
    readonly status: number
    readonly detail: string
    readonly headers: Readonly<Record<string, string>>
    // `declare` creates no property. Without `declare`, the property would exist even if it is undefined.
    declare readonly context?: object
    declare readonly errors?: readonly FieldError[]

    constructor(code: string, options: KitErrorOptions = {}) {
      const rule = Object.hasOwn(table, code) ? table[code] : undefined
      if (rule === undefined) throw new TypeError(`${name} has no code ${code}`)
      super(`${code}: ${options.detail ?? rule.detail}`, { cause: options.cause })
      this.name = name
      this.code = code
      this.status = rule.status
      this.detail = options.detail ?? rule.detail
      this.headers = { ...rule.headers, ...options.headers }
      if (options.context !== undefined) this.context = options.context
      if (options.errors !== undefined) this.errors = options.errors
    }
  }
  return Refusal as unknown as ErrorClass<Table>
}

/**
 * The errors of the kernel: authentication, permissions, requests, business objects, roles and users.
 * Clients can branch on the codes, because the codes are stable.
 */
export const CoreError = defineErrors('CoreError', {
  'auth.required': refusal(401, 'Sign in to use this service.', { 'WWW-Authenticate': 'Bearer' }),
  'auth.inactive': refusal(403, 'This account has been deactivated.'),
  'feature.disabled': refusal(404, 'This feature is not enabled in this deployment.'),
  'permission.denied': refusal<{ permission: string }>(403, 'You do not have the required permission.'),
  'request.malformed': refusal(400, 'The request could not be read.'),
  'request.timeout': refusal(408, 'The request did not arrive in time.'),
  'request.headers_too_large': refusal(431, 'The request headers are too large.'),
  'request.invalid': refusal(400, 'The request is not valid.'),
  'request.too_large': refusal<{ maxBytes: number }>(413, 'The request body is too large.'),
  'request.unsupported_media_type': refusal(415, 'Send the body as application/json.'),
  'request.route_not_found': refusal(404, 'No route matches this address.'),
  'request.method_not_allowed': refusal(405, 'This address does not support the method of the request.'),
  'request.rate_limited': refusal<{ policy: string; max: number }>(
    429,
    'There were too many requests. Wait before you try again.',
  ),
  // Hono's middleware refused it. The status is that of the middleware.
  'request.refused': refusal(403, 'The service refused the request.'),
  'business_object.unsupported': refusal(400, 'This kind of business object is not supported.'),
  'business_object.not_found': refusal(404, 'The business object does not exist or is not visible to you.'),
  'roles.not_found': refusal(404, 'The role does not exist.'),
  'roles.code_taken': refusal<{ code: string }>(409, 'Another role already has this code.'),
  'roles.protected': refusal(
    409,
    'The code, status and permissions of an administrator role cannot be changed.',
  ),
  'roles.version_conflict': refusal(409, 'The role has changed since you loaded it.'),
  'users.not_found': refusal(404, 'The user does not exist.'),
  'users.version_conflict': refusal(409, 'The roles of this user have changed since you loaded them.'),
  'users.subject_taken': refusal<{ subject: string }>(409, 'A user with this subject already exists.'),
  'service.unavailable': refusal(
    503,
    'The service is busy, or one of its components cannot be reached. Try again.',
    {
      'Retry-After': '1',
    },
  ),
  internal: refusal(500, 'Something went wrong. Include the request ID when you report this.'),
})

/** The union of all codes of {@link CoreError}. */
export type CoreErrorCode = keyof typeof CoreError.table
