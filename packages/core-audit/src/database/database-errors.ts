import { CoreError, isKitError } from '../errors.ts'

/** An error of postgres.js or node-postgres, which name the constraint in different properties. */
interface DriverError {
  readonly name?: string
  readonly code: string
  readonly errno?: string | number
  readonly constraint_name?: string
  readonly constraint?: string
}

/**
 * Lost, refused or unavailable connections, and exceeded time limits: the client can retry.
 * @see PostgreSQL appendix A for SQLSTATE classes 08 and 57; the rest are Node's and postgres.js's own codes
 */
const transient = new Set([
  ...['08000', '08001', '08003', '08004', '08006', '08P01', '57P01', '57P02', '57P03', '53300', '25P03'],
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
 * Converts errors caused by the state of the database (unreachable, shutting down, time limit exceeded) to
 * `service.unavailable`, with the error as its cause. Returns every other error unchanged.
 */
export function translateDatabaseError(error: unknown): unknown {
  if (isKitError(error)) return error
  const driver = driverError(error)
  if (driver === undefined || !transient.has(driver.code)) return error
  return new CoreError('service.unavailable', { cause: error })
}

/** Creates an error like the driver's for a lost connection, with a code that {@link translateDatabaseError} recognises. */
export function connectionError(
  code: 'CONNECTION_CLOSED' | 'ETIMEDOUT',
  message: string,
  options?: ErrorOptions,
): Error {
  return Object.assign(new Error(message, options), { code, errno: code })
}

/** Creates the error for a statement after the end of its transaction: it would run outside the transaction. */
export const transactionEndedError = (): TypeError =>
  new TypeError('The transaction of this statement has ended; await every statement in it')

/** Returns the name of the violated constraint, if that failed the statement. Packages convert it to their own codes. */
export function brokenConstraint(error: unknown): string | undefined {
  const driver = driverError(error)
  return driver?.constraint_name ?? driver?.constraint
}

/** Returns the SQLSTATE or connection code behind an error. Log this, never the message: it can contain parameters. */
export function databaseErrorCode(error: unknown): string | undefined {
  return driverError(error)?.code
}

/**
 * Returns whether an error comes from the database driver or wraps such an error. A code alone is not enough: errors of
 * files and other servers also have codes and error numbers.
 */
export function isDriverError(error: unknown): boolean {
  const driver = driverError(error)
  if (driver === undefined) return false
  // The driver adds `query` to every error of a query, including system errors. In its own errors, `errno` equals `code`.
  const { name, errno, code } = driver
  return name === 'PostgresError' || 'query' in driver || errno === code
}

/** Deeper than any of our chains. A limit is needed because causes can form a cycle. */
const maxCauses = 16

/** Finds the driver's error inside the errors of a query builder. An aggregate of connection attempts counts as one. */
function driverError(error: unknown): DriverError | undefined {
  let at = error
  for (let depth = 0; depth < maxCauses && typeof at === 'object' && at !== null; depth += 1) {
    const code: unknown = Reflect.get(at, 'code')
    // Errors of the server have `severity`, those of PgBouncer only `severity_local`; errors of Node and postgres.js have `errno`.
    if (
      typeof code === 'string' &&
      ('severity' in at || 'severity_local' in at || 'errno' in at || isAggregate(at))
    ) {
      return at as DriverError
    }
    at = Reflect.get(at, 'cause')
  }
  return undefined
}

const isAggregate = (value: object): boolean => Reflect.get(value, 'name') === 'AggregateError'
