import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError } from '../http/describe-error.ts'

export interface LoggerOptions {
  readonly level: string
  /** Where lines go; standard output when absent. */
  readonly destination?: DestinationStream
}

/** What is redacted under these names, in a line and one level down: credentials, signed URLs and what people write. */
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
 * One JSON line an event. Errors are written without what they carried in: a driver's message may hold parameter
 * values, so of database errors only the code, the constraint and our own frames remain. Headers, bodies and query
 * strings are never logged by the kernel; the redaction is the second lock on that door.
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
