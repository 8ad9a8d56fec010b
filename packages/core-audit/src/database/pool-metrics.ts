import { counter, durationHistogram } from '../telemetry/metrics.ts'

/** Time that work waited for a connection, with the attribute `db.client.connection.pool.name`. */
export const waits = durationHistogram(
  'db.client.connection.wait_time',
  'Time that work waited for a connection of the pool.',
)

const timeouts = counter('db.client.connection.timeouts', {
  unit: '{timeout}',
  description: 'Work that was refused because no connection of the pool became free in time.',
})

/** Counts refused work. A host counts 0 at its start, because Prometheus cannot see the increase of a new counter. */
export function countTimeouts(poolName: string, count: 0 | 1): void {
  timeouts.record(count, { 'db.client.connection.pool.name': poolName })
}
