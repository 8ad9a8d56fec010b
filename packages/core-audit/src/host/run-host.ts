import { connectionFailureText } from '../database/connection-failure.ts'
import { MigrationsError } from '../database/migration-ledger.ts'
import { CannotStartError } from './cannot-start-error.ts'
import { ConfigurationError, configurationExitCode } from './environment.ts'
import { createLogger } from './log.ts'
import type { RunningHost } from './start-host.ts'
import { defaultGraceMs } from './workers.ts'

/** The parts of a running host that {@link runHost} uses. */
export type StoppableHost = Pick<RunningHost, 'close'> &
  Partial<Pick<RunningHost, 'shutdownDelayMs' | 'graceMs'>> & {
    /** The time for `close` after the delay and the grace period; 500 ms when absent. A program that also ends services needs more. */
    readonly closeLimitMs?: number
  }

/** The additional time for closing the database. With the default delay and grace period, a stop takes less than 10 s. */
const defaultCloseLimitMs = 500

/**
 * Runs a host until SIGTERM or SIGINT, closes it, and ends the process with status 0. `start` reads the configuration and
 * starts the host:
 *
 *     await runHost(() => startHost(composeHost(readHostConfig(process.env))))
 *
 * SIGINT (Ctrl+C) skips the shutdown delay, because a host in a terminal has no load balancer. A signal during the start
 * closes the host as soon as it has started, without the delay. A second signal ends the process immediately, and a host that
 * does not close in time ends it, too, both with status 1. If the start or the end fails, prints the reason: each problem of a
 * `ConfigurationError` in one line, with status 78; other failures with status 1.
 *
 * Call this first: the kernel ignores signals without a handler for the first process of a container.
 */
export async function runHost(start: () => Promise<StoppableHost>): Promise<never> {
  let isStarted = false
  const stopping = stopSignal().then((signal) => ({ isImmediate: !isStarted || signal === 'SIGINT' }))
  try {
    const host = await start()
    isStarted = true
    const { isImmediate } = await stopping
    const { shutdownDelayMs = 0, graceMs = defaultGraceMs, closeLimitMs = defaultCloseLimitMs } = host
    exitWithin((isImmediate ? 0 : shutdownDelayMs) + graceMs + closeLimitMs)
    await host.close({ isImmediate })
    process.exit(0)
  } catch (error) {
    process.exit(reportFailure(error))
  }
}

/** Resolves at the first SIGTERM or SIGINT. A second signal ends the process immediately. */
function stopSignal(): Promise<NodeJS.Signals> {
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

/** Ends the process if it still runs after this time. */
function exitWithin(limitMs: number): void {
  setTimeout(() => process.exit(1), limitMs).unref()
}

/** Prints the error and returns the exit status. */
function reportFailure(error: unknown): number {
  if (error instanceof ConfigurationError) {
    for (const problem of error.problems) console.error(problem)
    return configurationExitCode
  }
  const isExplained = error instanceof CannotStartError || error instanceof MigrationsError
  // A migrator in `start` rejects with the error of the driver.
  const text = isExplained ? error.message : connectionFailureText(error)
  if (text !== undefined) console.error(text)
  // Use the logger because it removes sensitive data from errors.
  else createLogger({ level: 'fatal', destination: process.stderr }).fatal({ err: error }, 'The host ended.')
  return 1
}
