import type { Database } from '../database/database.ts'
import type { HealthCheck } from '../host/health.ts'
import type { KitModule } from '../module.ts'
import { outboxStatus } from './policy.ts'
import { type OutboxSummary, summarizeOutbox } from './queries/summarize-outbox.ts'

/**
 * Reports the registered consumers that this host does not run. The outbox keeps all events for them, but another host can run
 * them. So the check is Degraded only if one of them has a delivery that has been pending for over 15 minutes.
 */
export function otherConsumersHealth(database: Database, modules: readonly KitModule[]): HealthCheck {
  return {
    name: 'outbox',
    async check() {
      const others = await summarizeOthers(database, modules)
      if (others.length === 0) return { status: 'Healthy' }
      const otherConsumers = Object.fromEntries(
        others.map(({ consumer, deadCount: failedCount, ...counts }) => [
          consumer,
          { ...counts, failedCount },
        ]),
      )
      const late = others.filter((summary) => outboxStatus(summary) === 'Unhealthy')
      if (late.length === 0) return { status: 'Healthy', otherConsumers }
      const detail = `No host handles the events for ${namesOf(late)}. ${otherConsumersChange}`
      return { status: 'Degraded', detail, otherConsumers }
    },
  }
}

/** Returns the work of the registered consumers that no module has. */
export function summarizeOthers(
  database: Database,
  modules: readonly KitModule[],
): Promise<readonly OutboxSummary[]> {
  const own = modules.flatMap(({ health = [] }) => health.flatMap(({ consumer }) => consumer ?? []))
  return database.read((db) => summarizeOutbox(db, { except: own }))
}

export const otherConsumersChange =
  'Mount its module and "outbox.processing" in a host, or remove the consumer with "outbox unregister".'

export const namesOf = (summaries: readonly OutboxSummary[]): string =>
  summaries.map(({ consumer }) => consumer).join(', ')
