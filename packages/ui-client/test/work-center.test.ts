import { describe, expect, it } from 'vitest'
import type { Tab, WorkCenterItem } from '../src/index.ts'
import { coalesced } from '../src/stores/coalesced.ts'
import { reconnectDelayMs } from '../src/stores/realtime-connection.ts'
import { belongsTo } from '../src/stores/work-center-corrections.ts'
import { type DueGroup, dueGroupOf } from '../src/stores/work-center-due-groups.ts'
import { snoozePresets } from '../src/stores/work-center-snooze.ts'

describe('snoozePresets', () => {
  const at = (...parts: [number, number, number, number, number]) => new Date(...parts)
  const utc = (...parts: [number, number, number, number, number]) => at(...parts).toISOString()

  it('offers all presets at noon on a Wednesday', () => {
    expect(snoozePresets(at(2026, 10, 18, 12, 30))).toEqual([
      { code: 'inOneHour', atUtc: utc(2026, 10, 18, 13, 30) },
      { code: 'thisEvening', atUtc: utc(2026, 10, 18, 18, 0) },
      { code: 'tomorrowMorning', atUtc: utc(2026, 10, 19, 8, 0) },
      { code: 'nextWeek', atUtc: utc(2026, 10, 23, 8, 0) },
    ])
  })

  it.each([
    [
      'the evening is less than an hour away',
      at(2026, 10, 18, 17, 1),
      ['inOneHour', 'tomorrowMorning', 'nextWeek'],
    ],
    ['Monday is tomorrow', at(2026, 10, 22, 9, 0), ['inOneHour', 'thisEvening', 'tomorrowMorning']],
    ['it is Monday', at(2026, 10, 23, 9, 0), ['inOneHour', 'thisEvening', 'tomorrowMorning', 'nextWeek']],
  ])('offers only useful presets when %s', (_when, now, codes) => {
    expect(snoozePresets(now).map(({ code }) => code)).toEqual(codes)
  })

  it('calculates times after the end of a month and after the end of a year', () => {
    const presets = snoozePresets(at(2026, 11, 31, 9, 0))
    expect(presets.map(({ atUtc }) => atUtc)).toContain(utc(2027, 0, 1, 8, 0))
    expect(presets.map(({ atUtc }) => atUtc)).toContain(utc(2027, 0, 4, 8, 0))
  })

  it('offers only future times at every hour of a week', () => {
    for (let hour = 0; hour < 7 * 24; hour += 1) {
      const now = new Date(2026, 10, 16, hour, 59)
      for (const { atUtc } of snoozePresets(now)) expect(Date.parse(atUtc)).toBeGreaterThan(now.getTime())
    }
  })
})

describe('dueGroupOf', () => {
  const at = (day: number, hour = 12) => new Date(2026, 10, day, hour)
  const dueAt = (day: number, hour: number) => ({
    dueAtUtc: at(day, hour).toISOString(),
    dueOn: null,
    isOverdue: false,
  })
  const dueOn = (dueOn: string, isOverdue = false) => ({
    dueAtUtc: `${dueOn}T23:59:59.999Z`,
    dueOn,
    isOverdue,
  })

  // 18 November 2026 is a Wednesday.
  it.each<[string, Parameters<typeof dueGroupOf>[0], DueGroup]>([
    ['an overdue instant', { ...dueAt(18, 9), isOverdue: true }, 'overdue'],
    ['an overdue day', dueOn('2026-11-16', true), 'overdue'],
    ['a day that has not ended everywhere', dueOn('2026-11-17'), 'today'],
    ['this day', dueOn('2026-11-18'), 'today'],
    ['the end of this day', dueAt(18, 23), 'today'],
    ['the next midnight', dueAt(19, 0), 'thisWeek'],
    ['Sunday', dueOn('2026-11-22'), 'thisWeek'],
    ['Monday', dueOn('2026-11-23'), 'later'],
    ['no due date', { dueAtUtc: null, dueOn: null, isOverdue: false }, 'undated'],
  ])('puts %s into its group', (_what, due, group) => {
    expect(dueGroupOf(due, at(18))).toBe(group)
  })

  it('ends the week on Sunday', () => {
    expect(dueGroupOf(dueOn('2026-11-23'), at(22))).toBe('later')
    expect(dueGroupOf(dueOn('2026-11-29'), at(23))).toBe('thisWeek')
  })
})

describe('reconnectDelayMs', () => {
  it.each([
    [0, 0, 250],
    [1, 1_000, 1_500],
    [2, 2_000, 3_000],
    [3, 5_000, 7_500],
    [4, 10_000, 15_000],
    [5, 30_000, 45_000],
    [1_000, 30_000, 45_000],
  ])('after %i failures returns a delay of %i to %i ms', (failures, from, upTo) => {
    expect(reconnectDelayMs(failures, 0)).toBe(from)
    expect(reconnectDelayMs(failures, 1)).toBe(upTo)
  })
})

describe('belongsTo', () => {
  const task = (change: Partial<WorkCenterItem>) => item({ kind: 'Task', taskStatus: 'Open', ...change })
  const notification = (change: Partial<WorkCenterItem>) => item({ kind: 'Notification', ...change })

  it.each<[string, WorkCenterItem, Tab[]]>([
    ['an open task', task({}), ['attention', 'tasks']],
    ['a read task', task({ isRead: true }), ['attention', 'tasks']],
    ['a claimed task', task({ taskStatus: 'InProgress' }), ['attention', 'tasks']],
    ['a snoozed task', task({ snoozedUntilUtc: '2026-11-18T12:00:00.000Z' }), ['tasks']],
    ['a completed task', task({ taskStatus: 'Completed' }), ['completed']],
    ['a cancelled task', task({ taskStatus: 'Cancelled' }), ['completed']],
    ['an unread notification', notification({}), ['attention', 'notifications']],
    ['a read notification', notification({ isRead: true }), ['notifications']],
    ['a dismissed notification', notification({ isDismissed: true }), []],
  ])('returns true for the tabs of %s, and false for all other tabs', (_what, subject, tabs) => {
    const all: Tab[] = ['attention', 'tasks', 'notifications', 'completed']
    expect(all.filter((tab) => belongsTo(tab, subject))).toEqual(tabs)
  })
})

describe('coalesced', () => {
  it('never runs concurrently, and runs once more for all calls during a run', async () => {
    const runs: PromiseWithResolvers<void>[] = []
    const call = coalesced(() => {
      const run = Promise.withResolvers<void>()
      runs.push(run)
      return run.promise
    })
    const first = call()
    const [second, third] = [call(), call()]
    expect(runs).toHaveLength(1)
    runs[0]?.resolve()
    await first
    expect(runs).toHaveLength(2)
    runs[1]?.resolve()
    await Promise.all([second, third])
    const fourth = call()
    expect(runs).toHaveLength(3)
    runs[2]?.resolve()
    await fourth
  })

  it('runs again after a failed run', async () => {
    let count = 0
    const call = coalesced(async () => {
      count += 1
      if (count === 1) throw new Error('the first')
    })
    const first = call()
    const second = call()
    await expect(first).rejects.toThrow('the first')
    await second
    expect(count).toBe(2)
  })
})

function item(change: Partial<WorkCenterItem>): WorkCenterItem {
  return {
    id: '0',
    kind: 'Task',
    code: 'trade.collect_payment',
    title: '',
    description: '',
    titleText: null,
    descriptionText: null,
    source: {
      resourceKind: 'document',
      resourceCode: 'trade.sales_invoice',
      entityId: '1',
      title: '',
      subtitle: null,
    },
    priority: null,
    severity: null,
    taskStatus: null,
    sortAtUtc: '2026-11-18T12:00:00.000Z',
    dueAtUtc: null,
    dueOn: null,
    isOverdue: false,
    isRead: false,
    isDismissed: false,
    snoozedUntilUtc: null,
    assignment: null,
    primaryActionCode: null,
    primaryAction: null,
    target: null,
    version: 1,
    onBehalfOf: null,
    ...change,
  }
}
