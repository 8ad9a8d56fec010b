import type { Logger } from 'pino'
import { createLogger } from '../host/log.ts'

/** A logger with its recorded lines. */
export interface CapturedLog {
  readonly logger: Logger
  /** The lines as a deployment would print them: each event is one line of JSON. */
  readonly lines: readonly string[]
  /** The parsed lines. */
  readonly entries: readonly Readonly<Record<string, unknown>>[]
}

/** Creates a logger that records lines of `level` and above. Use it for code that accepts a logger, outside a test host. */
export function captureLog(level = 'debug'): CapturedLog {
  const lines: string[] = []
  return {
    logger: createLogger({ level, destination: { write: (line) => void lines.push(line) } }),
    lines,
    get entries() {
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    },
  }
}
