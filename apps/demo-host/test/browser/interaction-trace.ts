import type { Page } from 'playwright-core'

/** A key press or click of the user, until the page has painted its effect. */
export interface Interaction {
  /** The type of its longest event, for example `keydown`. */
  readonly type: string
  /**
   * The duration until the next paint, as in *Interaction to Next Paint*, without the time in which a task of the page had to
   * wait because the machine ran other programs.
   */
  readonly responseMs: number
  /** The CPU time of the tasks of the page's main thread in this duration. It includes no other thread or program. */
  readonly cpuMs: number
}

/** An event of a trace. `ts`, `dur` and `tdur`, the CPU time, are in microseconds. */
interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
  readonly args: {
    readonly data?: { readonly interactionId: number; readonly duration: number; readonly type: string }
  }
}

/** Records a trace of Chromium while `act` runs. Returns the interactions of the page in this time. */
export async function interactionsDuring(
  page: Page,
  act: () => Promise<void>,
): Promise<readonly Interaction[]> {
  const chromium = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  chromium.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await chromium.send('Tracing.start', {
    traceConfig: {
      includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
      excludedCategories: ['*'],
    },
  })
  await act()
  // The trace contains an interaction only after its paint.
  await hasPainted(page)
  const isComplete = new Promise((resolve) => chromium.once('Tracing.tracingComplete', resolve))
  await chromium.send('Tracing.end')
  await isComplete
  await chromium.detach()
  return interactionsOf(events)
}

/** Resolves when the page has painted what was done before, which would otherwise count for the next interaction. */
export const hasPainted = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/** An interaction has several events, such as `keydown` and `keyup`. The longest one counts. */
function interactionsOf(events: readonly TraceEvent[]): readonly Interaction[] {
  const longest = new Map<number, TraceEvent>()
  for (const event of events) {
    const { interactionId: id = 0, duration = 0 } = event.args.data ?? {}
    if (event.name !== 'EventTiming' || event.ph !== 'b' || id === 0) continue
    if (duration > (longest.get(id)?.args.data?.duration ?? -1)) longest.set(id, event)
  }
  return [...longest.values()].map((event) => {
    const { type = '', duration = 0 } = event.args.data ?? {}
    const tasks = tasksBetween(events, event, event.ts + duration * 1000)
    const waitedUs = tasks.reduce((sum, { shareUs, waitUs }) => sum + Math.min(shareUs, waitUs), 0)
    const cpuUs = tasks.reduce((sum, task) => sum + task.cpuUs, 0)
    return { type, responseMs: duration - waitedUs / 1000, cpuMs: cpuUs / 1000 }
  })
}

/** Returns the tasks of the thread of `start` until `endUs`. Their share is the part of them in this time. */
function tasksBetween(events: readonly TraceEvent[], start: TraceEvent, endUs: number) {
  return events
    .filter(({ name, ph }) => name === 'RunTask' && ph === 'X')
    .filter(({ pid, tid }) => pid === start.pid && tid === start.tid)
    .map(({ ts, dur = 0, tdur: cpuUs = Number.NaN }) => {
      const shareUs = Math.min(ts + dur, endUs) - Math.max(ts, start.ts)
      return { shareUs, cpuUs, waitUs: Math.max(0, dur - cpuUs) }
    })
    .filter(({ shareUs }) => shareUs > 0)
}
