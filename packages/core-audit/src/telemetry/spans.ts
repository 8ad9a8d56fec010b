import { isKitError } from '../errors.ts'
import { activeTracer, openTelemetry } from './open-telemetry.ts'
import { startSpan, toRunning } from './start-span.ts'

/** Attributes of a span or a metric. Values must be few and public: codes, routes and names from the source, never input. */
export type TelemetryAttributes = Readonly<Record<string, string | number | boolean>>

/** A span to create. */
export interface SpanDescription {
  readonly name: string
  /** The role of the span in its trace; `internal` when absent. */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  readonly attributes?: TelemetryAttributes
  /** W3C `traceparent` values of spans that caused this span. Malformed values are ignored. */
  readonly links?: readonly string[]
}

/** A span that has started. Without a registered SDK, its methods have no effect. */
export interface RunningSpan {
  setAttributes(attributes: TelemetryAttributes): void
  /** Marks the span as failed. `errorType` is a code with few values, never a message. */
  fail(errorType: string): void
}

const noSpan: RunningSpan = { setAttributes: () => {}, fail: () => {} }

/**
 * Runs `work` in a span. Spans and log lines inside `work` belong to it. If `work` rejects, the span fails with the result of
 * `failureOf`; `undefined` means no failure. By default, a refusal (an error of the kit with a status below 500) is no failure.
 * Without OpenTelemetry's API or a registered SDK, this function only calls `work`.
 */
export async function withSpan<T>(
  describe: () => SpanDescription,
  work: (span: RunningSpan) => Promise<T>,
  failureOf: (error: unknown) => string | undefined = failureType,
): Promise<T> {
  const api = openTelemetry()
  const tracer = activeTracer()
  if (api === null || tracer === undefined) return work(noSpan)
  const parent = api.context.active()
  const span = startSpan(tracer, describe(), parent)
  const running = toRunning(span)
  try {
    return await api.context.with(api.trace.setSpan(parent, span), () => work(running))
  } catch (error) {
    const failure = failureOf(error)
    if (failure !== undefined) running.fail(failure)
    throw error
  } finally {
    span.end()
  }
}

const failureType = (error: unknown): string | undefined =>
  isKitError(error) && error.status < 500 ? undefined : errorType(error)

/**
 * Returns the code of an error, or the name of its class. Messages are never used, because they can contain input. Returns
 * `_OTHER` for a value that does not look like a code.
 */
export function errorType(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '_OTHER'
  const code: unknown = Reflect.get(error, 'code') ?? Reflect.get(error, 'name')
  return typeof code === 'string' && /^[\w.]{1,64}$/.test(code) ? code : '_OTHER'
}

/**
 * Returns the W3C `traceparent` of the active span, or `null` without one.
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function activeTraceparent(): string | null {
  const ids = activeIds()
  return ids === undefined ? null : `00-${ids.traceId}-${ids.spanId}-${ids.isSampled ? '01' : '00'}`
}

/** Returns the ids of the active span for a log line; empty without one. */
export function activeTraceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const ids = activeIds()
  return ids === undefined ? {} : { trace_id: ids.traceId, span_id: ids.spanId }
}

function activeIds() {
  const api = openTelemetry()
  const found = api?.trace.getActiveSpan()?.spanContext()
  if (api === null || found === undefined || !api.isSpanContextValid(found)) return undefined
  const { traceId, spanId, traceFlags } = found
  return { traceId, spanId, isSampled: (traceFlags & 1) === 1 }
}
