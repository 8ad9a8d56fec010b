import { brokenConstraint, databaseErrorCode } from '../database/database-errors.ts'

/** Maximum number of causes to follow. Real chains of causes are shorter, but causes can form a cycle. */
const maxCauses = 8

/**
 * The SQLSTATEs for missing tables, columns, functions and schemas.
 * @see PostgreSQL appendix A
 */
const missingNames = new Set(['42P01', '42703', '42883', '3F000'])

/**
 * Returns the parts of an error that are safe to log: its name, code, stack frames and causes. Includes the message only if
 * the message cannot contain user input.
 */
export function describeError(error: unknown): Record<string, unknown> {
  return describe(error, { depth: 0, mayHoldData: false })
}

interface Place {
  readonly depth: number
  /** Whether an outer error can contain user input. If so, the messages of its causes can also contain this input. */
  readonly mayHoldData: boolean
}

function describe(error: unknown, { depth, mayHoldData }: Place): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const quotesInput = !containsOnlyNames(error) && (mayHoldData || holdsData(error))
  const code = errorCode(error)
  const constraint = brokenConstraint(error)
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(quotesInput ? {} : { message: error.message }),
    frames: framesOf(error),
    ...(error.cause instanceof Error && depth < maxCauses
      ? { cause: describe(error.cause, { depth: depth + 1, mayHoldData: quotesInput }) }
      : {}),
  }
}

/**
 * Returns whether the message contains only identifiers and types. This is the case for errors of the server that name a part
 * of the statement's text, which has a position, and for rejected accesses (`aclcheck_error`). Without the name of the table
 * or function, nobody can correct such a fault. A parameter that is cast to `regclass`, and a function that raises such a code
 * itself, also quote values, but without a position and from another routine.
 */
function containsOnlyNames(error: Error): boolean {
  if (!('severity' in error)) return false
  const code = errorCode(error) ?? ''
  if (code === '42501') return String(Reflect.get(error, 'routine')).startsWith('aclcheck_error')
  return missingNames.has(code) && ('position' in error || 'internal_position' in error)
}

/**
 * Returns whether the message can contain user input. Drizzle quotes parameters, PostgreSQL quotes the rejected value, and
 * the JSON parser, valibot and Node's `ERR_INVALID_…` errors quote their input.
 */
function holdsData(error: Error): boolean {
  return (
    'query' in error ||
    'severity' in error ||
    error.name === 'ValiError' ||
    error instanceof SyntaxError ||
    errorCode(error)?.startsWith('ERR_INVALID_') === true
  )
}

function errorCode(error: Error): string | undefined {
  const code: unknown = Reflect.get(error, 'code')
  return typeof code === 'string' ? code : databaseErrorCode(error)
}

/** Returns the stack frames. Skips the message at the start of the stack, because its lines can look like frames. */
function framesOf({ stack = '', message }: Error): readonly string[] {
  const start = stack.indexOf(message)
  if (start === -1) return []
  return stack
    .slice(start + message.length)
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .map((line) => line.trim())
}
