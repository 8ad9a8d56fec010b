import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { done, type InboxHost, idsOf, openInboxHost, page, refusalOf, send, summary } from '../harness.ts'
import {
  addNotification,
  addTask,
  closeTask,
  entriesOf,
  farAhead,
  fartherAhead,
  longAgo,
  storeSnooze,
} from '../items.ts'
import { addPerson, type Person } from '../people.ts'

let host: InboxHost
let clerk: Person
beforeAll(async () => {
  host = await openInboxHost()
})
afterAll(() => host.close())
beforeEach(async () => {
  clerk = await addPerson(host, ['trade.clerk'])
  host.announced.length = 0
})

const own = (task: Parameters<typeof addTask>[1] = {}) =>
  addTask(host.database, { assignedTo: { userId: clerk.userId }, ...task })

const snooze = (id: string, snoozedUntilUtc: unknown) =>
  send(clerk.request, 'tasks', id, 'snooze', { snoozedUntilUtc })

const snoozed = (id: string, snoozedUntilUtc: string | null) =>
  done(clerk.request, 'tasks', id, 'snooze', { snoozedUntilUtc })

/** Returns the stored next change of a task's only entry, in the wire format. */
async function changesAt(id: string): Promise<string | null> {
  const at = (await entriesOf(host.database, id))[0]?.changes_at ?? null
  return at === null ? null : new Date(at).toISOString()
}

describe('a snoozed task', () => {
  test('disappears from the attention tab and its count, but stays in the list of open tasks', async () => {
    const id = await own({ dueAtUtc: longAgo })
    const before = await summary(clerk.request)
    expect(before).toMatchObject({ attentionCount: 1, overdueTaskCount: 1 })
    expect(await snoozed(id, farAhead)).toMatchObject({ id, snoozedUntilUtc: farAhead, isOverdue: true })
    expect(await idsOf(clerk.request)).toEqual([])
    expect((await page(clerk.request, 'tab=tasks')).items).toMatchObject([{ id, snoozedUntilUtc: farAhead }])
    expect(await summary(clerk.request)).toEqual({
      ...before,
      attentionCount: 0,
      overdueTaskCount: 0,
      version: before.version + 1,
    })
    expect(host.announced).toEqual([new Map([[clerk.userId, before.version + 1]])])
  })

  test('is snoozed only for the caller', async () => {
    const colleague = await addPerson(host, ['trade.clerk'])
    const id = await addTask(host.database)
    await snoozed(id, farAhead)
    expect(await idsOf(colleague.request)).toContain(id)
    expect(await idsOf(clerk.request)).not.toContain(id)
  })

  test('can be snoozed again for a longer or shorter time', async () => {
    const id = await own()
    for (const until of [farAhead, fartherAhead, farAhead]) {
      expect(await snoozed(id, until)).toMatchObject({ snoozedUntilUtc: until })
      expect(await changesAt(id)).toBe(until)
    }
    expect(host.announced).toHaveLength(3)
  })

  test('is no longer snoozed after it is completed', async () => {
    const id = await own()
    await snoozed(id, farAhead)
    await closeTask(host.database, id)
    expect((await page(clerk.request, 'tab=completed')).items).toMatchObject([{ id, snoozedUntilUtc: null }])
    expect(await changesAt(id)).toBeNull()
  })

  test.each([
    ['null', null],
    ['a past time', longAgo],
    ['a time in the year 1', '0001-01-01T00:00:00Z'],
  ])('is shown immediately if the new end of the snooze is %s', async (_title, until) => {
    const id = await own()
    await snoozed(id, farAhead)
    expect(await snoozed(id, until)).toMatchObject({ snoozedUntilUtc: null })
    expect(await idsOf(clerk.request)).toEqual([id])
    expect(await changesAt(id)).toBeNull()
  })
})

describe('the next change of a task', () => {
  test.each([
    ['the end of its snooze if the due date is later', farAhead, fartherAhead, farAhead],
    ['its due date if the snooze ends later', fartherAhead, farAhead, farAhead],
    ['the end of its snooze if the due date has passed', farAhead, longAgo, farAhead],
    ['its due date if the task is not snoozed', null, farAhead, farAhead],
    ['absent if the due date has passed and the task is not snoozed', null, longAgo, null],
  ])('is %s', async (_what, until, dueAtUtc, expected) => {
    const id = await own({ dueAtUtc })
    await snoozed(id, fartherAhead)
    await snoozed(id, until)
    expect(await changesAt(id)).toBe(expected)
  })
})

describe('a snooze request raises no version if the requested end is', () => {
  test.each([
    ['the same as before', farAhead, farAhead],
    ['the same as before in another format', farAhead, '2999-01-01T00:00:00Z'],
    ['null, and the task is not snoozed', null, null],
    ['a past time, and the task is not snoozed', null, longAgo],
    ['null, and the snooze of the task has ended', longAgo, null],
    ['a past time, and the snooze of the task has ended', longAgo, '2021-01-01T00:00:00Z'],
  ])('%s', async (_what, stored, until) => {
    const id = await own()
    await storeSnooze(host.database, id, stored)
    const before = await summary(clerk.request)
    const answer = await snoozed(id, until)
    expect(answer.snoozedUntilUtc).toBe(stored === farAhead ? farAhead : null)
    expect(await summary(clerk.request)).toEqual(before)
    expect(host.announced).toEqual([])
  })
})

describe('the end of a snooze', () => {
  test.each([
    ['2999-01-01T00:00:00Z', '2999-01-01T00:00:00.000Z'],
    ['2999-01-01T00:00:00.1Z', '2999-01-01T00:00:00.100Z'],
    ['2999-01-01T00:00:00.1239999Z', '2999-01-01T00:00:00.123Z'],
    ['2999-12-31T23:59:59.999999999Z', '2999-12-31T23:59:59.999Z'],
    ['2996-02-29T12:00:00Z', '2996-02-29T12:00:00.000Z'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
  ])('that is sent as %s is stored as %s', async (given, taken) => {
    expect(await snoozed(await own(), given)).toMatchObject({ snoozedUntilUtc: taken })
  })

  test.each([
    ['without a zone', '2999-01-01T00:00:00'],
    ['with an offset', '2999-01-01T00:00:00+02:00'],
    ['with the offset of UTC', '2999-01-01T00:00:00+00:00'],
    ['with a lower-case z', '2999-01-01T00:00:00z'],
    ['without a time', '2999-01-01'],
    ['without seconds', '2999-01-01T00:00Z'],
    ['with a blank between date and time', '2999-01-01 00:00:00Z'],
    ['with a leading blank', ' 2999-01-01T00:00:00Z'],
    ['in the year 0', '0000-01-01T00:00:00Z'],
    ['in a negative year', '-000001-01-01T00:00:00Z'],
    ['in a year with five digits', '+12999-01-01T00:00:00Z'],
    ['on 30 February', '2999-02-30T00:00:00Z'],
    ['on 29 February in a common year', '2999-02-29T00:00:00Z'],
    ['in month 13', '2999-13-01T00:00:00Z'],
    ['in hour 24', '2999-01-01T24:00:00Z'],
    ['with a leap second', '2999-01-01T00:00:60Z'],
    ['that is a number', 32_472_144_000_000],
    ['with the text infinity', 'infinity'],
    ['with an empty text', ''],
    ['that is a list', []],
    ['that is true', true],
  ])('%s is refused with 400 request.invalid', async (_what, snoozedUntilUtc) => {
    const id = await own()
    expect(await refusalOf(await snooze(id, snoozedUntilUtc))).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ path: 'snoozedUntilUtc' }],
    })
    expect(await entriesOf(host.database, id)).toMatchObject([{ snoozed_until: null }])
  })

  test('that is missing is refused with 400 request.invalid', async () => {
    expect(await refusalOf(await send(clerk.request, 'tasks', await own(), 'snooze', {}))).toMatchObject({
      code: 'request.invalid',
      errors: [{ path: 'snoozedUntilUtc', message: 'is required' }],
    })
  })
})

describe('the response to a snooze is 404', () => {
  test.each(['Completed', 'Cancelled'] as const)('for a task that is %s', async (status) => {
    const id = await own()
    await closeTask(host.database, id, status)
    const before = await entriesOf(host.database, id)
    expect(await refusalOf(await snooze(id, farAhead))).toMatchObject({
      status: 404,
      code: 'work_center.item_not_found',
      detail: 'This task is no longer open.',
    })
    expect(await entriesOf(host.database, id)).toEqual(before)
  })

  test('for a notification', async () => {
    const id = await addNotification(host.database, { to: [clerk.userId] })
    expect(await refusalOf(await snooze(id, farAhead))).toMatchObject({ code: 'work_center.item_not_found' })
  })
})

test('the response to a snooze is 415 without a body, and 400 for a malformed body', async () => {
  const id = await own()
  expect(await refusalOf(await send(clerk.request, 'tasks', id, 'snooze'))).toMatchObject({ status: 415 })
  expect(await refusalOf(await send(clerk.request, 'tasks', id, 'snooze', '{'))).toMatchObject({
    code: 'request.malformed',
  })
})
