import { newId } from '@vertical-kit/core-audit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InboxHost, openInboxHost, page, refusalOf } from '../harness.ts'
import { addNotification, addTask, sourceOf } from '../items.ts'
import { addPerson, type Person } from '../people.ts'

let host: InboxHost
let clerk: Person
let other: Person
beforeAll(async () => {
  host = await openInboxHost()
  clerk = await addPerson(host, ['trade.clerk'])
  other = await addPerson(host, ['trade.clerk'])
  for (let n = 0; n < 5; n += 1) {
    await addTask(host.database, { priority: 'High' })
    await addNotification(host.database, { to: [clerk.userId, other.userId] })
  }
})
afterAll(() => host.close())

const ask = (cursor: string, query = '', person = clerk) =>
  person.request('GET', `/api/work-center/items?${query}&cursor=${encodeURIComponent(cursor)}`)

async function expectInvalid(response: Promise<Response>): Promise<void> {
  expect(await refusalOf(await response)).toMatchObject({ status: 400, code: 'work_center.cursor_invalid' })
}

const cursorOf = async (query = ''): Promise<string> =>
  (await page(clerk.request, `${query}&limit=2`)).nextCursor ?? ''

describe('a cursor', () => {
  test('continues after its page, with any limit for the next page', async () => {
    const all = (await page(clerk.request)).items
    expect(all).toHaveLength(10)
    const cursor = await cursorOf()
    expect((await page(clerk.request, `cursor=${cursor}`)).items).toEqual(all.slice(2))
    expect((await page(clerk.request, `cursor=${cursor}&limit=1`)).items).toEqual(all.slice(2, 3))
  })

  test('is null on the last page', async () => {
    expect((await page(clerk.request, 'limit=10')).nextCursor).toBeNull()
    expect((await page(clerk.request, 'limit=9')).nextCursor).not.toBeNull()
  })

  test('with any flipped bit is refused, and no database query runs', async () => {
    const bytes = Buffer.from(await cursorOf(), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      await expectInvalid(ask(flipped.toString('base64url')))
    }
    expect(host.logLines.filter((line) => line.includes('"error"'))).toEqual([])
  })

  test.each(['x', newId(), '%00', '../..', 'null', 'W10', '"'.repeat(10_000)])(
    'with the text "%.20s" is refused',
    async (cursor) => {
      await expectInvalid(ask(cursor))
    },
  )

  test('with a missing or additional character is refused', async () => {
    const cursor = await cursorOf()
    for (const wrong of [cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, ` ${cursor}`]) {
      await expectInvalid(ask(wrong))
    }
  })

  test('of another user is refused', async () => {
    const cursor = await cursorOf()
    expect((await ask(cursor)).status).toBe(200)
    await expectInvalid(ask(cursor, '', other))
  })

  test('from a caller without a user record is refused', async () => {
    const request = await host.as({ subject: 'stranger' })
    await expectInvalid(ask(await cursorOf(), '', { ...other, request }))
  })

  test.each(['tab=tasks', 'tab=notifications', 'tab=completed'])(
    'of the attention tab is refused for %s',
    async (tab) => {
      await expectInvalid(ask(await cursorOf('tab=attention'), tab))
    },
  )

  test.each([
    'vertical=trade',
    'priority=High',
    'severity=Success',
    'overdue=true',
    'overdue=false',
    'unread=true',
    'unread=false',
  ])('of an unfiltered list is refused with the filter %s', async (filter) => {
    await expectInvalid(ask(await cursorOf(), filter))
  })

  test.each([
    ['vertical=trade', 'vertical=crm'],
    ['vertical=trade', ''],
    ['priority=High', 'priority=Low'],
    ['priority=High', ''],
    ['severity=Success', 'severity=Warning'],
    ['overdue=false', 'overdue=true'],
    ['unread=true', 'unread=false'],
    ['unread=true', 'overdue=true'],
  ])('of a list with the query "%s" is refused with the query "%s"', async (from, to) => {
    const cursor = await cursorOf(from)
    expect((await ask(cursor, from)).status).toBe(200)
    await expectInvalid(ask(cursor, to))
  })

  test('of the default tab is valid with and without the parameter `tab`', async () => {
    expect((await ask(await cursorOf(''), 'tab=attention')).status).toBe(200)
  })

  test('is still valid after its item has disappeared from the list', async () => {
    const someone = await addPerson(host, ['trade.clerk'])
    const ids: string[] = []
    for (let n = 0; n < 4; n += 1) {
      const task = { assignedTo: { userId: someone.userId }, source: sourceOf() }
      ids.unshift(await addTask(host.database, task))
    }
    const first = await page(someone.request, 'limit=2')
    const gone = `/api/work-center/tasks/${ids[1]}/snooze`
    await someone.request('POST', gone, { body: { snoozedUntilUtc: '2999-01-01T00:00:00Z' } })
    const next = await page(someone.request, `limit=2&cursor=${first.nextCursor}`)
    expect(next.items.map(({ id }) => id)).toEqual(ids.slice(2))
  })
})
