import { context, metrics, propagation, type Span, SpanKind, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

/** A value of a metric. Histograms have the number of values instead. */
export interface RecordedValue {
  readonly name: string
  readonly unit: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly value: number
}

/** The spans and metrics that OpenTelemetry's SDK has recorded in this process. */
export interface RecordedTelemetry {
  /** The ended spans, in the order of their starts. */
  readonly spans: readonly ReadableSpan[]
  /** Returns the names and kinds of the ended spans of a trace as an indented tree. */
  tree(traceId: string): string
  /** Collects the values of all metrics. */
  values(): Promise<readonly RecordedValue[]>
  /** Runs `work` in a span, like the span of an instrumentation of the application. */
  inSpan<T>(name: string, work: (span: Span) => Promise<T>): Promise<T>
  /** Removes the recorded spans. */
  clear(): void
  /** Removes the SDK from the process. */
  stop(): Promise<void>
}

/** Registers the SDK of OpenTelemetry with exporters in memory. A test must stop it, because files share a process. */
export function recordTelemetry(): RecordedTelemetry {
  const exporter = new InMemorySpanExporter()
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 2 ** 31 - 1,
  })
  const meters = new MeterProvider({ readers: [reader] })
  const contexts = new AsyncLocalStorageContextManager().enable()
  const registered = [
    context.setGlobalContextManager(contexts),
    propagation.setGlobalPropagator(new W3CTraceContextPropagator()),
    trace.setGlobalTracerProvider(tracers),
    metrics.setGlobalMeterProvider(meters),
  ]
  if (registered.includes(false)) throw new Error('Another SDK is still registered in this process')

  const finished = () => exporter.getFinishedSpans().toSorted((one, other) => startOf(one) - startOf(other))
  return {
    get spans() {
      return finished()
    },
    tree: (traceId) => treeOf(finished().filter((span) => span.spanContext().traceId === traceId)),
    async values() {
      const { resourceMetrics, errors } = await reader.collect()
      if (errors.length > 0) throw new AggregateError(errors, 'The metrics could not be collected')
      return resourceMetrics.scopeMetrics.flatMap((scope) =>
        scope.metrics.flatMap(({ descriptor: { name, unit }, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({
            ...{ name, unit, attributes },
            value: typeof value === 'number' ? value : value.count,
          })),
        ),
      )
    },
    inSpan: (name, work) =>
      trace.getTracer('application').startActiveSpan(name, { kind: SpanKind.SERVER }, async (span) => {
        try {
          return await work(span)
        } finally {
          span.end()
        }
      }),
    clear: () => exporter.reset(),
    async stop() {
      trace.disable()
      metrics.disable()
      propagation.disable()
      context.disable()
      await Promise.all([tracers.shutdown(), meters.shutdown()])
    },
  }
}

const startOf = ({ startTime: [seconds, nanos] }: ReadableSpan): number => seconds * 1e6 + nanos / 1e3

function treeOf(spans: readonly ReadableSpan[]): string {
  const ids = new Set(spans.map((span) => span.spanContext().spanId))
  const lines = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanContext }) => {
        const id = parentSpanContext?.spanId
        return parent === undefined ? id === undefined || !ids.has(id) : id === parent
      })
      .flatMap((span) => [
        `${'  '.repeat(depth)}${SpanKind[span.kind].toLowerCase()} ${span.name}`,
        ...lines(span.spanContext().spanId, depth + 1),
      ])
  return lines(undefined, 0).join('\n')
}
