import { createServer } from 'node:http'
import type { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import type { MeterProvider, ViewOptions } from '@opentelemetry/sdk-metrics'
import { openTelemetry } from '../telemetry/open-telemetry.ts'
import { onPort } from './cannot-start-error.ts'
import { ConfigurationError } from './environment.ts'
import type { MetricsConfig } from './metrics-config.ts'
import { bind } from './server.ts'

/** A listener that serves metrics. */
export interface RunningMetrics {
  /** The complete address, which ends with `/metrics`. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves the metrics of the process in Prometheus' text format: `GET /metrics`. OpenTelemetry's SDK collects them, so they
 * include the metrics that the application records with OpenTelemetry's API. All hosts of a process share one collection.
 *
 * @throws {ConfigurationError} when a package is not installed, or when the application has registered its own metrics SDK
 * @throws {CannotStartError} when the port is in use
 */
export async function startMetrics(config: MetricsConfig): Promise<RunningMetrics> {
  const collection = await joinCollection()
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    const path = request.url?.split('?')[0]
    if (request.method === 'GET' && path === '/metrics') {
      collection.exporter.getMetricsRequestHandler(request, response)
    } else response.writeHead(404).end()
  })
  let origin: string
  try {
    origin = await onPort('METRICS_PORT', config, () => bind(server, config))
  } catch (error) {
    await leaveCollection(collection)
    throw error
  }
  return {
    url: `${origin}/metrics`,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
      await leaveCollection(collection)
    },
  }
}

/** The metrics of the process. OpenTelemetry has one registered SDK for each process. */
interface Collection {
  readonly provider: MeterProvider
  readonly exporter: PrometheusExporter
  userCount: number
}

let shared: Collection | undefined

async function joinCollection(): Promise<Collection> {
  const [api, sdk, prometheus] = [openTelemetry(), ...(await loadSdk())]
  if (api === null) throw missing('@opentelemetry/api')
  if (shared === undefined) {
    const exporter = new prometheus.PrometheusExporter({ preventServerStart: true })
    const provider = new sdk.MeterProvider({ readers: [exporter], views: [...prometheusNames] })
    if (!api.metrics.setGlobalMeterProvider(provider)) {
      await provider.shutdown()
      throw new ConfigurationError([
        'METRICS_PORT: the application has registered its own OpenTelemetry metrics. ' +
          'Add a Prometheus exporter there, or do not set METRICS_PORT.',
      ])
    }
    shared = { provider, exporter, userCount: 0 }
  }
  shared.userCount += 1
  return shared
}

async function leaveCollection(collection: Collection): Promise<void> {
  collection.userCount -= 1
  if (collection.userCount > 0) return
  shared = undefined
  openTelemetry()?.metrics.disable()
  await collection.provider.shutdown()
}

async function loadSdk() {
  try {
    return await Promise.all([
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-prometheus'),
    ])
  } catch (error) {
    if (Reflect.get(error as object, 'code') !== 'ERR_MODULE_NOT_FOUND') throw error
    throw missing('@opentelemetry/sdk-metrics and @opentelemetry/exporter-prometheus')
  }
}

const missing = (names: string): ConfigurationError =>
  new ConfigurationError([`METRICS_PORT: install ${names} beside @opentelemetry/api.`])

/**
 * The names for Prometheus, which are the ones of other OpenTelemetry exporters: durations end with their unit. The suffix
 * `_count` is reserved for histograms.
 *
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
const prometheusNames: readonly ViewOptions[] = [
  ...[
    'http.server.request.duration',
    'db.client.operation.duration',
    'db.client.connection.wait_time',
    'vertical_kit.outbox.oldest_age',
    'vertical_kit.queue.oldest_age',
  ].map((name) => ({ instrumentName: name, name: `${name}.seconds` })),
  { instrumentName: 'db.client.connection.count', name: 'db.client.connections' },
]
