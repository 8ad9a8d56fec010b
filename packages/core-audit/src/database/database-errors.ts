import { CoreError, isKitError } from '../errors.ts'

/** An error of a driver. postgres.js sets `constraint_name`; node-postgres sets `constraint`. */
interface DriverError {
  readonly name?: string
  readonly code: string
  readonly errno?: string | number
  readonly constraint_name?: string
  readonly constraint?: string
}

/** The SQLSTATE of a write that the server refuses because it is a standby, for example after a failover. */
export const readOnlyTransaction = '25006'

/**
 * The codes of temporary failures: lost or refused connections, exceeded time limits, deadlocks, and a server without disk
 * space, memory or connections. The client can retry.
 * @see PostgreSQL appendix A for the SQLSTATEs; the other codes are from Node.js and postgres.js
 */
const transient = new Set([
  ...['08000', '08001', '08003', '08004', '08006', '08P01', '57P01', '57P02', '57P03', '25P03'],
  ...['53000', '53100', '53200', '53300', '53400', '58030'],
  ...['55P03', '57014', '40P01', readOnlyTransaction],
  // While a password is rotated, the server and the file with the password can differ.
  '28P01',
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ],
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
])

/**
 * Converts errors caused by the state of the database (unreachable, shutting down, time limit exceeded) to
 * `service.unavailable`, with the original error as its cause. Returns every other error unchanged.
 */
export function translateDatabaseError(error: unknown): unknown {
  if (isKitError(error)) return error
  const driver = driverError(error)
  if (driver === undefined || !(transient.has(driver.code) || isMissingSocket(driver))) return error
  return new CoreError('service.unavailable', { cause: error })
}

/** A server removes its Unix socket while it restarts. Operations on files fail with the same code. */
const isMissingSocket = (error: DriverError): boolean =>
  error.code === 'ENOENT' && Reflect.get(error, 'syscall') === 'connect'

/** Creates an error like the driver's error for a lost connection. {@link translateDatabaseError} recognises its code. */
export function connectionError(
  code: 'CONNECTION_CLOSED' | 'ETIMEDOUT',
  message: string,
  options?: ErrorOptions,
): Error {
  return Object.assign(new Error(message, options), { code, errno: code })
}

/** Creates the error for a statement after the end of its transaction. The statement would run outside the transaction. */
export const transactionEndedError = (): TypeError =>
  new TypeError('The transaction of this statement has ended; await every statement in it')

/** Returns the constraint that a failed statement violated; `undefined` for other errors. Packages convert it to codes. */
export function brokenConstraint(error: unknown): string | undefined {
  const driver = driverError(error)
  return driver?.constraint_name ?? driver?.constraint
}

/** Returns the SQLSTATE or connection code of an error. Log the code, never the message, which can contain parameters. */
export function databaseErrorCode(error: unknown): string | undefined {
  return driverError(error)?.code
}

/**
 * Returns whether an error comes from the database driver or wraps such an error. The code is not sufficient to decide
 * this, because errors of files and of other servers also have codes and error numbers.
 */
export function isDriverError(error: unknown): boolean {
  const driver = driverError(error)
  if (driver === undefined) return false
  // The driver adds `query` to every error of a query, including system errors. In errors of the driver, `errno` equals
  // `code`.
  const { name, errno, code } = driver
  return name === 'PostgresError' || 'query' in driver || errno === code
}

/**
 * Returns whether the server rejected a statement. It ends a connection with a `FATAL` error, and errors without a severity
 * come from the driver or from Node.js.
 */
export function isStatementError(error: unknown): boolean {
  const driver = driverError(error)
  return driver !== undefined && Reflect.get(driver, 'severity') === 'ERROR'
}

/**
 * Creates a function for the failures of one transaction or savepoint, in their order. It returns the failure that has aborted the
 * transaction if a statement failed only for this reason. Several statements are sent at once, and the caller can receive the
 * failure of a later one first.
 */
export function createAbortingFailure(): (error: unknown) => unknown {
  let aborting: unknown
  return (error) => {
    if (databaseErrorCode(error) === '25P02') return aborting ?? error
    if (isStatementError(error)) aborting = error
    return error
  }
}

/** Maximum number of causes to follow. Real chains of causes are shorter, but causes can form a cycle. */
const maxCauses = 16

/** Returns the driver's error from a chain of causes. An aggregate of failed connection attempts is also a driver error. */
function driverError(error: unknown): DriverError | undefined {
  let at = error
  for (let depth = 0; depth < maxCauses && typeof at === 'object' && at !== null; depth += 1) {
    const code: unknown = Reflect.get(at, 'code')
    // Errors of the server have `severity`, those of PgBouncer only `severity_local`; errors of Node and postgres.js have
    // `errno`. Errors of TLS have none of these, but the driver adds `query`.
    if (
      typeof code === 'string' &&
      (['severity', 'severity_local', 'errno', 'query'].some((name) => name in Object(at)) || isAggregate(at))
    ) {
      return at as DriverError
    }
    at = Reflect.get(at, 'cause')
  }
  return undefined
}

const isAggregate = (value: object): boolean => Reflect.get(value, 'name') === 'AggregateError'
