import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError } from '../http/describe-error.ts'
import { activeTraceFields } from '../telemetry/spans.ts'
import type { EnvironmentReader } from './environment.ts'

/** `level` is a level of pino, such as `info`, or `silent`. */
export interface LoggerOptions {
  readonly level: string
  /** Destination of the log lines; standard output when absent. */
  readonly destination?: DestinationStream
}

/** Reads `LOG_LEVEL` (info). */
export function readLogLevel(env: EnvironmentReader): string {
  return env.string('LOG_LEVEL', {
    default: 'info',
    pattern: /^(trace|debug|info|warn|error|fatal|silent)$/,
    expected: 'trace, debug, info, warn, error, fatal or silent',
  })
}

/** Names of redacted fields, at the top level of a line and one level below: credentials, signed URLs and users' texts. */
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
 * Creates a logger that writes one JSON line for each event. The message of a database error can contain parameter values,
 * so the logger writes only the code, the constraint and our own stack frames of such an error. The kernel never logs
 * headers, bodies or query strings; the redaction is a second safeguard. Lines of an OpenTelemetry span contain its
 * `trace_id` and `span_id`.
 */
export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      mixin: activeTraceFields,
      serializers: { err: describeError },
      redact: {
        paths: redactedNames.flatMap((name) => [name, `*.${name}`]),
        censor: '[redacted]',
      },
    },
    options.destination ?? pino.destination({ dest: 1, sync: false }),
  )
}
