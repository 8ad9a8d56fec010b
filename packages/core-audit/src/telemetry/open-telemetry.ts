import { createRequire } from 'node:module'
import type * as OpenTelemetry from '@opentelemetry/api'
import type { Meter, Tracer } from '@opentelemetry/api'
import { version } from '../version.ts'

/** The instrumentation scope of all spans and metrics of the kit. */
const scope = '@vertical-kit/core-audit'

let loaded: typeof OpenTelemetry | null | undefined

/**
 * Returns the API of OpenTelemetry, or `null` if it is not installed. Loads it at the first call, so that importing a package
 * of the kit does not load it. Installed copies of the API share their registered SDK, so it does not matter which one loads.
 */
export function openTelemetry(): typeof OpenTelemetry | null {
  if (loaded === undefined) loaded = load()
  return loaded
}

function load(): typeof OpenTelemetry | null {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api') as typeof OpenTelemetry
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

/** The provider that another copy of the API can also have registered. */
interface Proxy {
  getDelegate?(): OpenTelemetry.TracerProvider
  getDelegateTracer?(name: string, version: string): Tracer | undefined
}

let traced: { readonly by: unknown; readonly tracer: Tracer | undefined } | undefined

/** Returns the tracer of the registered SDK. Returns `undefined` without one, so that callers skip the work for a span. */
export function activeTracer(): Tracer | undefined {
  const api = openTelemetry()
  if (api === null) return undefined
  const provider = api.trace.getTracerProvider() as OpenTelemetry.TracerProvider & Proxy
  const by = provider.getDelegate?.() ?? provider
  if (traced?.by === by) return traced.tracer
  // The API wraps the SDK's provider. Without an SDK, the wrapper has no tracer.
  const tracer = provider.getDelegateTracer
    ? provider.getDelegateTracer(scope, version)
    : provider.getTracer(scope, version)
  traced = { by, tracer }
  return tracer
}

let measured: { readonly by: unknown; readonly meter: Meter | undefined } | undefined

/** Returns the meter of the registered SDK, or `undefined` without one. */
export function activeMeter(): Meter | undefined {
  const api = openTelemetry()
  if (api === null) return undefined
  const by = api.metrics.getMeterProvider()
  if (measured?.by === by) return measured.meter
  const meter = by.getMeter(scope, version)
  measured = { by, meter: meter === api.createNoopMeter() ? undefined : meter }
  return measured.meter
}
