import { durationHistogram } from '../telemetry/metrics.ts'
import { activeTracer, openTelemetry } from '../telemetry/open-telemetry.ts'
import type { TelemetryAttributes } from '../telemetry/spans.ts'
import { startSpan, toRunning } from '../telemetry/start-span.ts'
import { databaseErrorCode } from './database-errors.ts'
import { querySummary } from './query-summary.ts'

const duration = durationHistogram('db.client.operation.duration', 'Duration of database client operations.')

/** The observation of one statement. */
export interface StatementObservation {
  /** Ends the observation. An error makes the span fail; only its code is recorded. */
  end(error?: unknown): void
}

/**
 * Starts the client span of a statement and measures its duration. A statement outside any span, such as that of a polling
 * worker, is only measured: otherwise each poll would be a trace of its own. Without a registered SDK, returns `undefined`.
 *
 * The span contains the names of operations and tables, never the text and never a value.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/db/postgresql/
 */
export function observeStatement(
  text: string,
  target: TelemetryAttributes,
): StatementObservation | undefined {
  const api = openTelemetry()
  if (api === null) return undefined
  const tracer = activeTracer()
  const parent = api.context.active()
  const isTraced = tracer !== undefined && api.trace.getSpan(parent) !== undefined
  if (!isTraced && !duration.isActive) return undefined

  const summary = querySummary(text)
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': summary.operation,
    'db.query.summary': summary.text,
  }
  const span = isTraced
    ? startSpan(
        tracer,
        { name: summary.text, kind: 'client', attributes: { ...attributes, ...target } },
        parent,
      )
    : undefined
  const startedMs = performance.now()
  return {
    end(error) {
      const code = error === undefined ? undefined : (databaseErrorCode(error) ?? '_OTHER')
      const failure = code === undefined ? {} : { 'error.type': code }
      duration.record((performance.now() - startedMs) / 1_000, { ...attributes, ...failure })
      if (span === undefined) return
      if (code !== undefined) toRunning(span).fail(code)
      span.end()
    },
  }
}
