import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError } from '../http/describe-error.ts'

export interface LoggerOptions {
  readonly level: string
  /** Destination of the log lines; standard output when absent. */
  readonly destination?: DestinationStream
}

/** Names of redacted fields, in a line and one level down: credentials, signed URLs and texts that users write. */
export const redactedNames = [
  'authorization',
  'cookie',
  'password',
  'token',
  'secret',
  'url',
  'uploadUrl',
  'text',
  'headers',
  'body',
] as const

/**
 * Creates a logger that writes one JSON line for each event. A driver's message can contain parameter values, so of a
 * database error only the code, the constraint and our own stack frames are logged. The kernel never logs headers, bodies
 * and query strings; the redaction is a second safeguard.
 */
export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: {
        paths: redactedNames.flatMap((name) => [name, `*.${name}`]),
        censor: '[redacted]',
      },
    },
    options.destination ?? pino.destination({ dest: 1, sync: false }),
  )
}
