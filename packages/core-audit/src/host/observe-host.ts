import { performance } from 'node:perf_hooks'
import type { Database } from '../database/database.ts'
import { countTimeouts } from '../database/pool-metrics.ts'
import { type Observation, observeGauges } from '../telemetry/metrics.ts'
import { type HealthCheck, type HealthStatus, healthReporter } from './health.ts'
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
  const report = healthReporter(hostChecks(host))
  const pool = takeName(database.load.poolName)
  let utilization = performance.eventLoopUtilization()
  countTimeouts(database.load.poolName, 0)

  const stop = observeGauges(gauges, async () => {
    const { entries } = await report()
    const before = utilization
    utilization = performance.eventLoopUtilization()
    const values = [
      ...Object.entries(entries).flatMap(([check, entry]) => healthValues(check, entry)),
      ...poolValues(database),
    ]
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

function takeName(wanted: string): string {
  let name = wanted
  for (let number = 2; poolNames.has(name); number += 1) name = `${wanted}-${number}`
  poolNames.add(name)
  return name
}

const severity: Readonly<Record<HealthStatus, number>> = { Healthy: 0, Degraded: 1, Unhealthy: 2 }

function healthValues(
  check: string,
  entry: Awaited<ReturnType<HealthCheck['check']>>,
): readonly Observation[] {
  const { status, pendingCount, failedCount, oldestPendingAgeSeconds } = entry
  const consumer = { 'vertical_kit.outbox.consumer': check }
  return [
    {
      name: 'vertical_kit.health.status',
      value: severity[status],
      attributes: { 'vertical_kit.health.check': check },
    },
    ...(pendingCount === undefined
      ? []
      : [
          { name: 'vertical_kit.outbox.pending', value: pendingCount, attributes: consumer },
          { name: 'vertical_kit.outbox.dead_letters', value: failedCount ?? 0, attributes: consumer },
          {
            name: 'vertical_kit.outbox.oldest_age',
            value: oldestPendingAgeSeconds ?? 0,
            attributes: consumer,
          },
        ]),
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
