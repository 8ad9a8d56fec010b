import type { Context, Link, Span, Tracer } from '@opentelemetry/api'
import type { RunningSpan, SpanDescription } from './spans.ts'

/** The values of `SpanKind`. The API is optional, so its enum is not imported. */
const kindOf = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const

/** Starts a span, which the caller must end. */
export function startSpan(tracer: Tracer, description: SpanDescription, parent: Context): Span {
  const { name, kind = 'internal', attributes = {}, links = [] } = description
  return tracer.startSpan(
    name,
    { kind: kindOf[kind], attributes: { ...attributes }, links: links.flatMap(toLink) },
    parent,
  )
}

/** Wraps a span for code that does not know OpenTelemetry. */
export function toRunning(span: Span): RunningSpan {
  return {
    setAttributes: (attributes) => void span.setAttributes({ ...attributes }),
    fail(type) {
      span.setAttribute('error.type', type)
      // 2 is `SpanStatusCode.ERROR`. There is no message, because messages can contain input.
      span.setStatus({ code: 2 })
    },
  }
}

function toLink(traceparent: string): Link[] {
  const [, traceId, spanId, flags] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return []
  return [{ context: { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true } }]
}
