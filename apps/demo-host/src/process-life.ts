import { ConfigurationError, configurationExitCode, createLogger } from '@vertical-kit/core-audit/host'
import { CannotStartError } from './cannot-start-error.ts'

/** Limits the steps after the shutdown delay. These steps and the default delay take less than 10 s in total. */
const stopLimitMs = 4_500

/**
 * Resolves at the first SIGTERM or SIGINT, even during startup. A second signal ends the process immediately. Call this
 * first: the kernel ignores signals without a handler for the first process of a container.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      for (const each of ['SIGTERM', 'SIGINT'] as const) {
        process.removeListener(each, stop).once(each, () => process.exit(1))
      }
      resolve(signal)
    }
    process.on('SIGTERM', stop).on('SIGINT', stop)
  })
}

/** Ends the process if it is still running after the shutdown delay and the following steps. */
export function exitWithin(shutdownDelayMs: number): void {
  setTimeout(() => process.exit(1), stopLimitMs + shutdownDelayMs).unref()
}

/** Prints the error and returns the exit status. */
export function reportFailure(error: unknown): number {
  if (error instanceof ConfigurationError) {
    for (const problem of error.problems) console.error(problem)
    return configurationExitCode
  }
  if (error instanceof CannotStartError) console.error(error.message)
  // Use the logger because it removes sensitive data from errors.
  else createLogger({ level: 'fatal', destination: process.stderr }).fatal({ err: error }, 'The host ended.')
  return 1
}
