import type { Meter, Observable } from '@opentelemetry/api'
import { activeMeter } from './open-telemetry.ts'
import type { TelemetryAttributes } from './spans.ts'

/** The unit (UCUM) and the meaning of a metric. */
export interface MetricDescription {
  readonly unit: string
  readonly description: string
}

/** A metric that adds up or collects values. Without a registered SDK, it has no effect. */
export interface Recorder {
  /** Whether an SDK receives the values. Check it before an expensive measurement. */
  readonly isActive: boolean
  record(value: number, attributes?: TelemetryAttributes): void
}

/** Returns a counter, for example of executed actions. Its values only grow. */
export function counter(name: string, description: MetricDescription): Recorder {
  return recorder((meter) => {
    const instrument = meter.createCounter(name, description)
    return (value, attributes) => instrument.add(value, attributes)
  })
}

/** Returns a histogram of durations in seconds. */
export function durationHistogram(name: string, description: string): Recorder {
  return recorder((meter) => {
    const advice = { explicitBucketBoundaries: [...boundaries] }
    const instrument = meter.createHistogram(name, { unit: 's', description, advice })
    return (value, attributes) => instrument.record(value, attributes)
  })
}

/** The boundaries of the semantic conventions for HTTP and databases, in seconds, and 1 ms for short statements. */
const boundaries = [0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const

type Record = (value: number, attributes: { [key: string]: string | number | boolean }) => void

/**
 * Creates the instrument at the first value, and again when another SDK is registered: the API has no proxy for metrics, so
 * an instrument created before the SDK would never have an effect.
 */
function recorder(create: (meter: Meter) => Record): Recorder {
  let from: Meter | undefined
  let record: Record | undefined
  const current = (): Record | undefined => {
    const meter = activeMeter()
    if (meter === from) return record
    from = meter
    record = meter === undefined ? undefined : create(meter)
    return record
  }
  return {
    get isActive() {
      return current() !== undefined
    },
    record: (value, attributes = {}) => current()?.(value, attributes),
  }
}

/** A value of a gauge. */
export interface Observation {
  readonly name: string
  readonly value: number
  readonly attributes?: TelemetryAttributes
}

/**
 * Registers gauges and calls `read` at each collection. Returns a function that ends this. If `read` stops returning a series, or
 * has ended, the series is 0. The SDK would export its last value until the process ends, so an alert would never end. If `read`
 * rejects, the last values stay. Without a registered SDK, this function has no effect, so call it after the registration.
 */
export function observeGauges(
  gauges: Readonly<{ [name: string]: MetricDescription }>,
  read: () => readonly Observation[] | Promise<readonly Observation[]>,
): () => void {
  const meter = activeMeter()
  if (meter === undefined) return () => {}
  const observables = new Map<string, Observable>(
    Object.entries(gauges).map(([name, description]) => [
      name,
      meter.createObservableGauge(name, description),
    ]),
  )
  const all = [...observables.values()]
  let current: typeof read | undefined = read
  let known = new Map<string, Observation>()
  let isCollected = false
  const remove = () => meter.removeBatchObservableCallback(observe, all)
  const observe: Parameters<Meter['addBatchObservableCallback']>[0] = async (result) => {
    // The source can end during this collection. Then the next one observes 0 and removes the callback.
    const reading = current
    isCollected = true
    // It also waits after the end: the SDK would skip a callback if another one removed itself at once.
    const values = await (reading?.() ?? [])
    const series = new Map(values.map((one) => [JSON.stringify([one.name, one.attributes]), one]))
    // Not `NaN`: JSON cannot express it, and some receivers then refuse all metrics of the process.
    const gone = [...known].filter(([key]) => !series.has(key)).map(([, one]) => ({ ...one, value: 0 }))
    for (const { name, value, attributes = {} } of [...gone, ...values]) {
      const observable = observables.get(name)
      if (observable !== undefined) result.observe(observable, value, attributes)
    }
    known = series
    if (reading === undefined) remove()
  }
  meter.addBatchObservableCallback(observe, all)
  return () => {
    current = undefined
    // Without a collection, no series must become 0. While nobody collects, each opening of a tenant would leave a source behind.
    if (!isCollected) remove()
  }
}
