import { kitTx } from '@vertical-kit/core-audit/drizzle'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApplicationTx, applications, driverNames } from '../../../../vitest.applications.ts'
import { openInbox } from '../../src/inbox/inbox.ts'
import { collectPayment, definitions, settled } from '../definitions.ts'
import { administratorRoleCodes, clear, config, type Desk, entryUsers, openDesk, tasksOf } from '../desk.ts'
import { sourceOf, versions } from '../items.ts'
import { addUser } from '../people.ts'

let desk: Desk
let clerk: string
let auditor: string
beforeAll(async () => {
  desk = await openDesk()
  clerk = await addUser(desk.database, 'clerk', ['trade.clerk'])
  auditor = await addUser(desk.database, 'auditor', ['trade.auditor'])
})
afterAll(() => desk.close())
beforeEach(() => clear(desk.database))

/** Writes one task and one notification, and returns the versions to announce. */
function write(tx: ApplicationTx): Promise<unknown> {
  const inbox = openInbox(kitTx(tx), { definitions, config, administratorRoleCodes })
  inbox.createTask(collectPayment, {
    deduplicationKey: 'a',
    title: 'Collect "ä"',
    source: sourceOf(),
    assignedTo: { roleCode: 'trade.clerk' },
  })
  inbox.createNotification(settled, { deduplicationKey: 'a', title: 'Settled', source: sourceOf() })
  return inbox.finish()
}

describe.each(driverNames)('in a transaction of the application with %s', (driver) => {
  test('tasks and notifications commit together with the transaction', async () => {
    const { transaction } = applications[driver](desk.url)
    const announced = await transaction(write)
    const expected = new Map([
      [clerk, 1],
      [auditor, 1],
    ])
    expect(announced).toEqual(expected)
    expect(await versions(desk.database)).toEqual(expected)
    expect(await tasksOf(desk.database)).toHaveLength(1)
  })

  test('a rollback removes tasks and notifications', async () => {
    const { transaction } = applications[driver](desk.url)
    const undone = transaction(async (tx) => {
      await write(tx)
      tx.rollback()
    })
    await expect(undone).rejects.toThrow('Rollback')
    expect(await tasksOf(desk.database)).toEqual([])
    expect(await entryUsers(desk.database)).toEqual([])
    expect(await versions(desk.database)).toEqual(new Map())
  })

  test('many concurrent writers of two applications create the task only once', async () => {
    const both = [applications[driver](desk.url), applications[driver](desk.url)]
    await Promise.all(Array.from({ length: 10 }, (_, index) => both[index % both.length]?.transaction(write)))
    expect(await tasksOf(desk.database)).toHaveLength(1)
    expect((await versions(desk.database)).get(clerk)).toBe(1)
  })
})
