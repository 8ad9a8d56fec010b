import { metrics } from '@opentelemetry/api'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import {
  createLogger,
  type HealthCheck,
  type HostOptions,
  readConfiguration,
  readMetricsConfig,
  startBackgroundHost,
  startHost,
} from '@vertical-kit/core-audit/host'
import { observeGauges } from '@vertical-kit/core-audit/telemetry'
import { captureLog } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { recordTelemetry } from '../../../../vitest.record-telemetry.ts'
import { startMetrics } from '../../src/host/metrics-server.ts'
import { version } from '../../src/version.ts'
import { openDatabase } from '../harness.ts'
import { connectTo } from '../host/raw-client.ts'

const address = { host: '127.0.0.1', port: 0 }

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

const consumer: HealthCheck = {
  name: 'mailOutbox',
  consumer: 'mail',
  check: async () => ({ status: 'Degraded', pendingCount: 5, failedCount: 2, oldestPendingAgeSeconds: 7 }),
}

const mails: HealthCheck = {
  name: 'mail',
  check: async () => ({ status: 'Healthy', pendingCount: 3, failedCount: 1, oldestPendingAgeSeconds: null }),
}

const scans: HealthCheck = {
  name: 'scans',
  check: async () => ({ status: 'Healthy', pendingCount: 4 }),
}

const optionsOf = (): HostOptions => ({
  title: 'Host',
  database: createDatabase({ ...databaseDefaults, url: fresh.url, poolMax: 3 }),
  authenticate: (_c, next) => next(),
  modules: [],
  health: [consumer, mails, scans],
  logger: createLogger({ level: 'silent' }),
  server: address,
})

/** Starts a host that serves metrics, and returns both addresses. */
async function startMeasured(options: HostOptions) {
  const log = captureLog('info')
  const host = await startHost({ ...options, logger: log.logger, metrics: address })
  const line = log.entries.find(({ msg }) => msg === 'Serving metrics.')
  let closed: Promise<void> | undefined
  const close = () => (closed ??= host.close())
  onTestFinished(close)
  return { url: host.url, close, metricsUrl: String(line?.['address']) }
}

const scrape = async (url: string): Promise<string> => (await fetch(url)).text()

/** Returns a function that reads the value of the series with this name and these labels. */
const valuesIn =
  (text: string) =>
  (name: string, ...labels: readonly string[]) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
      ?.split(' ')
      .at(-1)

test('a host serves its metrics on a listener of their own', async () => {
  const { url, close, metricsUrl } = await startMeasured(optionsOf())
  await fetch(`${url}/health/live`)
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  const value = valuesIn(await scrape(metricsUrl))
  expect(value('http_server_request_duration_seconds_count', 'http_route="/health/live"')).toBe('1')
  expect(value('vertical_kit_health_status', 'check="database"')).toBe('0')
  expect(value('vertical_kit_health_status', 'check="clock"')).toBe('0')
  expect(value('vertical_kit_health_status', 'check="mailOutbox"')).toBe('1')
  expect(value('db_client_connection_max', 'pool_name="vertical-kit"')).toBe('3')
  expect(value('db_client_connection_timeouts_total', 'pool_name="vertical-kit"')).toBe('0')
  // Work at the start of the host can need several connections, and may still use all of them.
  const connectionCount = ['idle', 'used'].map((state) => value('db_client_connections', `state="${state}"`))
  expect(['1', '2', '3']).toContain(String(Number(connectionCount[0]) + Number(connectionCount[1])))
  expect((await fetch(new URL('/other', metricsUrl))).status).toBe(404)
  expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(404)
  await close()
  await expect(fetch(metricsUrl)).rejects.toThrow()
})

test('the metrics of the outbox have the names of consumers, and other queues have metrics of their own', async () => {
  const { metricsUrl } = await startMeasured(optionsOf())
  const text = await scrape(metricsUrl)
  const value = valuesIn(text)
  expect(value('vertical_kit_outbox_pending', 'consumer="mail"')).toBe('5')
  expect(value('vertical_kit_outbox_dead_letters', 'consumer="mail"')).toBe('2')
  expect(value('vertical_kit_outbox_oldest_age_seconds', 'consumer="mail"')).toBe('7')
  expect(value('vertical_kit_queue_pending', 'name="mail"')).toBe('3')
  expect(value('vertical_kit_queue_failed', 'name="mail"')).toBe('1')
  expect(value('vertical_kit_queue_oldest_age_seconds', 'name="mail"')).toBe('0')
  expect(value('vertical_kit_queue_pending', 'name="scans"')).toBe('4')
  expect(value('vertical_kit_queue_oldest_age_seconds', 'name="scans"')).toBeUndefined()
  expect(text.match(/^vertical_kit_outbox_pending\{/gm)).toHaveLength(1)
})

test('requests that Node rejects are counted by code', async () => {
  const { url, metricsUrl } = await startMeasured(optionsOf())
  const rejected = async () =>
    /^vertical_kit_http_rejected_requests_total\{error_type="request.malformed".*\} (\d+)$/m.exec(
      await scrape(metricsUrl),
    )?.[1]
  expect(await rejected()).toBe('0')
  const client = await connectTo(url)
  client.send('NOT HTTP\r\n\r\n')
  await client.ended()
  expect(await rejected()).toBe('1')
})

test('two hosts of one process share their metrics, and their pools have different names', async () => {
  const [first, second] = [await startMeasured(optionsOf()), await startMeasured(optionsOf())]
  for (const { metricsUrl } of [first, second]) {
    const pools = [
      ...(await scrape(metricsUrl)).matchAll(/^db_client_connection_max\{.*pool_name="([^"]*)"/gm),
    ]
    expect(pools.map(([, name]) => name).toSorted()).toEqual(['vertical-kit', 'vertical-kit-2'])
  }
  await first.close()
  const value = valuesIn(await scrape(second.metricsUrl))
  expect(value('db_client_connection_max', 'pool_name="vertical-kit-2"')).toBe('3')
  expect(value('db_client_connection_max', 'pool_name="vertical-kit"')).toBe('0')
})

test('a series without a current value is 0, so no alert about an old value remains', async () => {
  const { metricsUrl } = await startMeasured(optionsOf())
  const attributes = { queue: 'temporary' }
  let read = async () => [
    { name: 'test.count', value: 1, attributes },
    { name: 'test.count', value: 2 },
  ]
  const end = observeGauges({ 'test.count': { unit: '1', description: 'A count.' } }, () => read())
  onTestFinished(end)
  const values = async () =>
    [...(await scrape(metricsUrl)).matchAll(/^test_count(?:_ratio)?(\{.*?\}) (\S+)$/gm)].map(
      ([, labels, value]) => `${labels?.includes('temporary') ? 'temporary' : 'lasting'} ${value}`,
    )
  expect(await values()).toEqual(['temporary 1', 'lasting 2'])
  read = async () => [{ name: 'test.count', value: 3 }]
  expect(await values()).toEqual(['temporary 0', 'lasting 3'])
  end()
  expect(await values()).toEqual(['temporary 0', 'lasting 0'])
})

test('a source of gauges that ends during a collection is 0 in the next one', async () => {
  const { metricsUrl } = await startMeasured(optionsOf())
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const end = observeGauges({ 'test.depth': { unit: '1', description: 'A depth.' } }, async () => {
    asked.resolve()
    await answer.promise
    return [{ name: 'test.depth', value: 5 }]
  })
  onTestFinished(end)
  const depth = async () => /^test_depth\S* (\S+)$/m.exec(await scrape(metricsUrl))?.[1]
  const during = depth()
  await asked.promise
  end()
  answer.resolve()
  expect(await during).toBe('5')
  expect(await depth()).toBe('0')
})

test('the counts of a queue stay while its check fails, so that an alert about a backlog does not end', async () => {
  let isFailing = false
  const check: HealthCheck['check'] = async (signal) => {
    if (isFailing) throw new Error('The database does not answer')
    return consumer.check(signal)
  }
  const { metricsUrl } = await startMeasured({ ...optionsOf(), health: [{ ...consumer, check }] })
  const values = async () => {
    const value = valuesIn(await scrape(metricsUrl))
    const ofConsumer = 'vertical_kit_outbox_consumer="mail"'
    return [
      value('vertical_kit_health_status', 'check="mailOutbox"'),
      ...['pending', 'dead_letters', 'oldest_age_seconds'].map((name) =>
        value(`vertical_kit_outbox_${name}`, ofConsumer),
      ),
    ]
  }
  expect(await values()).toEqual(['1', '5', '2', '7'])
  isFailing = true
  expect(await values()).toEqual(['2', '5', '2', '7'])
})

test('a source of gauges that ends before the first collection leaves nothing behind', async () => {
  await startMeasured(optionsOf())
  const meter = metrics.getMeterProvider().getMeter('@vertical-kit/core-audit', version)
  const added = vi.spyOn(meter, 'addBatchObservableCallback')
  const removed = vi.spyOn(meter, 'removeBatchObservableCallback')
  observeGauges({ 'test.depth': { unit: '1', description: 'A depth.' } }, () => [])()
  expect(added.mock.calls).toHaveLength(1)
  expect(removed.mock.calls).toEqual(added.mock.calls)
})

test('the end of one source of gauges leaves the values of the others current', async () => {
  const { metricsUrl } = await startMeasured(optionsOf())
  const description = { 'test.level': { unit: '1', description: 'A level.' } }
  let level = 1
  const ends = ['a', 'b', 'c', 'd'].map((source) =>
    observeGauges(description, () => [{ name: 'test.level', value: level, attributes: { source } }]),
  )
  onTestFinished(() => {
    for (const end of ends) end()
  })
  const values = async () =>
    [...(await scrape(metricsUrl)).matchAll(/^test_level\S* (\S+)$/gm)].map(([, value]) => value)
  expect(await values()).toEqual(['1', '1', '1', '1'])
  ends[0]?.()
  ends[1]?.()
  level = 2
  expect(await values()).toEqual(['0', '0', '2', '2'])
})

test('a background host serves metrics, too', async () => {
  const log = captureLog('info')
  const options = { ...optionsOf(), logger: log.logger, metrics: address }
  const host = await startBackgroundHost(options)
  onTestFinished(() => host.close())
  expect(await scrape(String(log.entries[0]?.['address']))).toContain('check="mailOutbox"')
})

test('a host does not start if the application has registered its own metrics', async () => {
  const telemetry = recordTelemetry()
  onTestFinished(() => telemetry.stop())
  const starting = startHost({ ...optionsOf(), metrics: address })
  await expect(starting).rejects.toMatchObject({
    name: 'ConfigurationError',
    problems: [
      expect.stringMatching(/^METRICS_PORT: the application has registered its own OpenTelemetry metrics/),
    ],
  })
})

test('if the port is in use, nothing stays registered', async () => {
  const running = await startMetrics(address)
  await expect(startMetrics({ host: '127.0.0.1', port: Number(new URL(running.url).port) })).rejects.toThrow(
    'EADDRINUSE',
  )
  await running.close()
  const telemetry = recordTelemetry()
  await telemetry.stop()
  expect(metrics.getMeterProvider().constructor.name).toBe('NoopMeterProvider')
})

test.each([
  [{}, undefined],
  [{ METRICS_PORT: '9464' }, { host: '127.0.0.1', port: 9464 }],
  [
    { METRICS_PORT: '0', METRICS_HOST: '::' },
    { host: '::', port: 0 },
  ],
])('the keys %j select the address %j', (environment, expected) => {
  expect(readConfiguration(environment, readMetricsConfig)).toEqual(expected)
})

test('an invalid METRICS_PORT is a problem', () => {
  expect(() => readConfiguration({ METRICS_PORT: '70000' }, readMetricsConfig)).toThrow(
    'METRICS_PORT: expected a whole number from 0 to 65535',
  )
})
