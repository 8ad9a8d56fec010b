import type { Logger } from 'pino'
import { createLogger } from '../host/log.ts'

/** A logger of a host, and what was written to it. */
export interface CapturedLog {
  readonly logger: Logger
  /** As a deployment would print them: one JSON text with its line end for each event. */
  readonly lines: readonly string[]
  /** The same, parsed. */
  readonly entries: readonly Readonly<Record<string, unknown>>[]
}

/** Makes a logger that keeps what it writes from `level` on: for code that takes a logger, outside of a test host. */
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
