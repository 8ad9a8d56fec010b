import { brokenConstraint, databaseErrorCode } from '../database/database-errors.ts'

/** Deeper than any chain of ours; a bound, because a chain may be a circle. */
const maxCauses = 8

/**
 * What of an error may be written down: its kind, its code, its message where that holds nothing that came in, its
 * frames, and the same of its causes.
 */
export function describeError(error: unknown): Record<string, unknown> {
  return describe(error, { depth: 0, mayHoldData: false })
}

interface Place {
  readonly depth: number
  /** Whether a statement failed further up: what caused that may quote its parameters. */
  readonly mayHoldData: boolean
}

function describe(error: unknown, { depth, mayHoldData }: Place): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const quotesInput = mayHoldData || holdsData(error)
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
 * Drizzle's message holds the parameters, PostgreSQL's a value that did not fit, the parser's of JSON what it read,
 * valibot's what it received, and Node's `ERR_INVALID_…` what they were given.
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

/** A stack begins with the message, and a message may have lines that look like frames. */
function framesOf({ stack = '', message }: Error): readonly string[] {
  const start = stack.indexOf(message)
  if (start === -1) return []
  return stack
    .slice(start + message.length)
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .map((line) => line.trim())
}
