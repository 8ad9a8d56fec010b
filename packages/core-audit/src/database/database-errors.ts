import { CoreError, isKitError } from '../errors.ts'

/** An error of postgres.js or of node-postgres: they name the constraint differently. */
interface DriverError {
  readonly name?: string
  readonly code: string
  readonly errno?: string | number
  readonly constraint_name?: string
  readonly constraint?: string
}

/**
 * Connection lost, refused or not to be had, and waits that ran into their limit: the caller may try again.
 * @see PostgreSQL appendix A for SQLSTATE classes 08 and 57; the rest are Node's and postgres.js's own codes
 */
const transient = new Set([
  ...['08000', '08001', '08003', '08004', '08006', '57P01', '57P02', '57P03', '53300', '25P03'],
  ...['55P03', '57014', '40P01'],
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
 * Turns what only the database's state explains (unreachable, shutting down, a wait past its limit) into
 * `service.unavailable`, cause kept. Every other error passes unchanged.
 */
export function translateDatabaseError(error: unknown): unknown {
  if (isKitError(error)) return error
  const driver = driverError(error)
  if (driver === undefined || !transient.has(driver.code)) return error
  return new CoreError('service.unavailable', { cause: error })
}

/** An error as the driver makes it when a connection is lost: with a code that {@link translateDatabaseError} knows. */
export function connectionError(
  code: 'CONNECTION_CLOSED' | 'ETIMEDOUT',
  message: string,
  options?: ErrorOptions,
): Error {
  return Object.assign(new Error(message, options), { code, errno: code })
}

/** What a statement is refused with that comes after the end of its transaction: it would run outside of it. */
export const transactionEndedError = (): TypeError =>
  new TypeError('The transaction of this statement has ended; await every statement in it')

/** The name of the constraint a statement broke, if that is why it failed: what a package translates into its code. */
export function brokenConstraint(error: unknown): string | undefined {
  const driver = driverError(error)
  return driver?.constraint_name ?? driver?.constraint
}

/** The SQLSTATE or connection code behind an error, for logs: never its message, which may hold parameter values. */
export function databaseErrorCode(error: unknown): string | undefined {
  return driverError(error)?.code
}

/**
 * Whether an error came out of the database driver, or wraps one that did. Stricter than a code: errors of files and of other
 * servers have codes and error numbers too.
 */
export function isDriverError(error: unknown): boolean {
  const driver = driverError(error)
  if (driver === undefined) return false
  // The driver adds the query to what fails one, the system's errors included; its own codes are their error numbers too.
  const { name, errno, code } = driver
  return name === 'PostgresError' || 'query' in driver || errno === code
}

/** Deeper than any chain of ours; a bound, because a chain may be a circle. */
const maxCauses = 16

/** A query builder wraps the driver's error; an aggregate of connection attempts holds several alike. */
function driverError(error: unknown): DriverError | undefined {
  let at = error
  for (let depth = 0; depth < maxCauses && typeof at === 'object' && at !== null; depth += 1) {
    const code: unknown = Reflect.get(at, 'code')
    // The server's errors have a severity, Node's and postgres.js's own an errno.
    if (typeof code === 'string' && ('severity' in at || 'errno' in at || isAggregate(at))) {
      return at as DriverError
    }
    at = Reflect.get(at, 'cause')
  }
  return undefined
}

const isAggregate = (value: object): boolean => Reflect.get(value, 'name') === 'AggregateError'
