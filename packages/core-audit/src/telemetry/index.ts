export {
  counter,
  durationHistogram,
  type MetricDescription,
  type Observation,
  observeGauges,
  type Recorder,
} from './metrics.ts'
export { telemetry } from './server-telemetry.ts'
export {
  errorType,
  type RunningSpan,
  type SpanDescription,
  type TelemetryAttributes,
  withSpan,
} from './spans.ts'
