import type { Logger } from 'pino'
import { createLogger } from '../host/log.ts'

/** A logger with its recorded lines. */
export interface CapturedLog {
  readonly logger: Logger
  /** As a deployment would print them: one line of JSON for each event. */
  readonly lines: readonly string[]
  /** The parsed lines. */
  readonly entries: readonly Readonly<Record<string, unknown>>[]
}

/** Creates a logger that records its lines from `level` on, for code that accepts a logger outside a test host. */
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
