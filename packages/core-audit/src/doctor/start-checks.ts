import type { Logger } from 'pino'
import type { Database } from '../database/database.ts'
import type { KitModule } from '../module.ts'
import { databaseChecks } from './database-checks.ts'
import { runChecks } from './run-checks.ts'

export interface StartChecksOptions {
  readonly database: Database
  readonly modules: readonly KitModule[]
  readonly logger: Logger
  /** Aborted when the host closes. */
  readonly signal: AbortSignal
}

/** Shorter than that of the command: the findings of an unreachable service appear in its health, too. */
const limitMs = 5_000

/**
 * Runs the quick checks of a host that has started, and logs each failure as `warn`. Leaves warnings to the command, because a
 * demo has them by design: its only role is a superuser. Never rejects.
 */
export async function runStartChecks(options: StartChecksOptions): Promise<void> {
  const { database, modules, logger, signal } = options
  const contributed = await Promise.all(modules.map(async (module) => (await module.doctor?.()) ?? []))
  const checks = [...databaseChecks({ database, modules }), ...contributed.flat()]
  const quick = checks.filter(({ isQuick }) => isQuick === true)
  const context = { token: undefined, origins: [], replicaCount: 1, now: Date.now }
  const findings = await runChecks(quick, { ...context, limitMs, signal })
  if (signal.aborted) return
  for (const { name, status, message, change } of findings) {
    if (status === 'failed') logger.warn({ check: name, status, change }, message)
  }
}
