import { performance } from 'node:perf_hooks'
import type { Database } from '../database/database.ts'
import { countTimeouts } from '../database/pool-metrics.ts'
import { type Observation, observeGauges } from '../telemetry/metrics.ts'
import {
  type HealthCheck,
  type HealthResult,
  type HealthStatus,
  healthReporter,
  type QueueCounts,
} from './health.ts'
import { type CheckedHost, hostChecks } from './host-checks.ts'

const gauges = {
  'vertical_kit.health.status': {
    unit: '1',
    description: 'Result of each health check: 0 healthy, 1 degraded, 2 unhealthy.',
  },
  'vertical_kit.outbox.pending': {
    unit: '{delivery}',
    description: 'Deliveries that wait for the consumer.',
  },
  'vertical_kit.outbox.dead_letters': {
    unit: '{delivery}',
    description: 'Deliveries that failed and wait for an operator.',
  },
  'vertical_kit.outbox.oldest_age': { unit: 's', description: 'Age of the oldest pending delivery.' },
  'vertical_kit.queue.pending': {
    unit: '{item}',
    description: 'Items that wait in a queue outside the outbox: mails, webhooks or scans.',
  },
  'vertical_kit.queue.failed': {
    unit: '{item}',
    description: 'Items of a queue that failed and need an operator.',
  },
  'vertical_kit.queue.oldest_age': {
    unit: 's',
    description: 'Age of the oldest item that waits in a queue.',
  },
  'db.client.connection.count': {
    unit: '{connection}',
    description: 'Connections of the pool by state: idle or used.',
  },
  'db.client.connection.max': { unit: '{connection}', description: 'Connections that the pool can open.' },
  'db.client.connection.pending_requests': {
    unit: '{request}',
    description: 'Pieces of work that wait for a connection.',
  },
  'nodejs.eventloop.utilization': {
    unit: '1',
    description: 'Share of the time since the last collection in which the event loop was busy.',
  },
} as const

/** The pool names in use. Two hosts of one process need different names, because values with equal attributes collide. */
const poolNames = new Set<string>()

/**
 * Reports the pool, the health checks and the queues of a host as metrics, until the returned function is called. At each
 * collection it runs the health checks, which take at most 3 s. {@link startHost} calls it; an application that mounts the
 * routers itself calls it after it has registered its SDK. Without a registered SDK, it has no effect.
 */
export function observeHost(host: CheckedHost): () => void {
  const { database } = host
  const readHealth = healthReader(hostChecks(host))
  const pool = takeName(database.load.poolName)
  let utilization = performance.eventLoopUtilization()
  countTimeouts(database.load.poolName, 0)

  const stop = observeGauges(gauges, async () => {
    const health = await readHealth()
    const before = utilization
    utilization = performance.eventLoopUtilization()
    const values = [...health, ...poolValues(database)]
    return [
      ...values.map((value) => ({
        ...value,
        attributes: { ...value.attributes, 'db.client.connection.pool.name': pool },
      })),
      {
        name: 'nodejs.eventloop.utilization',
        value: performance.eventLoopUtilization(utilization, before).utilization,
      },
    ]
  })
  return () => {
    poolNames.delete(pool)
    stop()
  }
}

/**
 * Reports checks that belong to no database as metrics, until the returned function is called. A process for many tenants
 * reports its own check here; `observeHost` reports those of a tenant while the tenant is open.
 */
export const observeHealth = (checks: readonly HealthCheck[]): (() => void) =>
  observeGauges(gauges, healthReader(checks))

/**
 * Returns a function that runs the checks and returns their values. A check that fails or is late counts nothing: its queue then keeps
 * the last counts, because an alert about a backlog must not end when the database stops answering.
 */
function healthReader(checks: readonly HealthCheck[]): () => Promise<readonly Observation[]> {
  const report = healthReporter(checks)
  const queues = new Map<string, readonly Observation[]>()
  return async () => {
    const { entries } = await report()
    return checks.flatMap((check) => {
      const result = entries[check.name]
      if (result === undefined) return []
      if (result.status !== 'Unhealthy' || result.pendingCount !== undefined) {
        queues.set(check.name, queueValues(check, result))
      }
      return [statusOf(check, result), ...(queues.get(check.name) ?? [])]
    })
  }
}

function takeName(wanted: string): string {
  let name = wanted
  for (let number = 2; poolNames.has(name); number += 1) name = `${wanted}-${number}`
  poolNames.add(name)
  return name
}

const severity: Readonly<Record<HealthStatus, number>> = { Healthy: 0, Degraded: 1, Unhealthy: 2 }

const statusOf = ({ name }: HealthCheck, { status }: HealthResult): Observation => ({
  name: 'vertical_kit.health.status',
  value: severity[status],
  attributes: { 'vertical_kit.health.check': name },
})

/** The metrics of the deliveries of a consumer. */
const outboxNames = {
  pending: 'vertical_kit.outbox.pending',
  failed: 'vertical_kit.outbox.dead_letters',
  oldestAge: 'vertical_kit.outbox.oldest_age',
} as const

/** The metrics of a queue that the commands of the outbox do not show. */
const queueNames = {
  pending: 'vertical_kit.queue.pending',
  failed: 'vertical_kit.queue.failed',
  oldestAge: 'vertical_kit.queue.oldest_age',
} as const

function queueValues(check: HealthCheck, result: HealthResult): readonly Observation[] {
  const { name, consumer } = check
  return [
    ...(consumer === undefined
      ? countValues(queueNames, { 'vertical_kit.queue.name': name }, result)
      : countValues(outboxNames, { 'vertical_kit.outbox.consumer': consumer }, result)),
    ...Object.entries(result.otherConsumers ?? {}).flatMap(([other, counts]) =>
      countValues(outboxNames, { 'vertical_kit.outbox.consumer': other }, counts),
    ),
  ]
}

function countValues(
  names: typeof outboxNames | typeof queueNames,
  attributes: Readonly<Record<string, string>>,
  { pendingCount, failedCount = 0, oldestPendingAgeSeconds: age }: QueueCounts,
): readonly Observation[] {
  if (pendingCount === undefined) return []
  return [
    { name: names.pending, value: pendingCount, attributes },
    { name: names.failed, value: failedCount, attributes },
    // A queue without an age has no such series.
    ...(age === undefined ? [] : [{ name: names.oldestAge, value: age ?? 0, attributes }]),
  ]
}

function poolValues({ load }: Database): readonly Observation[] {
  const count = 'db.client.connection.count'
  return [
    { name: count, value: load.runningCount, attributes: { 'db.client.connection.state': 'used' } },
    { name: count, value: load.idleCount, attributes: { 'db.client.connection.state': 'idle' } },
    { name: 'db.client.connection.max', value: load.maxCount },
    { name: 'db.client.connection.pending_requests', value: load.waitingCount },
  ]
}
