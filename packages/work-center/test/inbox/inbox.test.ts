import { newId } from '@vertical-kit/core-audit'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { holdTransaction, recordStatements, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CreateTask } from '../../src/commands/create-tasks.ts'
import type { Source } from '../../src/contract.ts'
import { defineTask } from '../../src/definitions/definition.ts'
import { createInboxWriter, type DesiredTask, type Inbox, openInbox } from '../../src/inbox/inbox.ts'
import type { VersionChanges } from '../../src/inbox/version-changes.ts'
import { collectPayment, definitions, settled } from '../definitions.ts'
import { administratorRoleCodes, clear, config, type Desk, openDesk, tasksOf } from '../desk.ts'
import { sourceOf, versions } from '../items.ts'
import { addUser } from '../people.ts'

let desk: Desk
let database: Database
let clerk: string
let auditor: string
beforeAll(async () => {
  desk = await openDesk()
  database = desk.database
  clerk = await addUser(database, 'clerk', ['trade.clerk'])
  auditor = await addUser(database, 'auditor', ['trade.auditor'])
})
afterAll(() => desk.close())
beforeEach(() => clear(database))

const options = { definitions, config, administratorRoleCodes }
const { code } = collectPayment
const stranger = defineTask({ ...collectPayment, code: 'trade.unknown' })
const task = (deduplicationKey: string): CreateTask => ({
  deduplicationKey,
  title: deduplicationKey,
  source: sourceOf(),
  assignedTo: { roleCode: 'trade.clerk' },
})
const notification = (deduplicationKey: string) => ({
  deduplicationKey,
  title: deduplicationKey,
  source: sourceOf(),
})
const writeWith = (db: Database, announced: VersionChanges[] = []) =>
  createInboxWriter({ ...options, database: db, announce: (changes) => announced.push(changes) })

test('one transaction raises each version by one, and the version is announced after the commit', async () => {
  const announced: VersionChanges[] = []
  const write = writeWith(database, announced)
  const result = await write(async (inbox) => {
    inbox.createTask(collectPayment, task('a'))
    inbox.createTask(collectPayment, task('b'))
    inbox.createNotification(settled, notification('a'))
    return 'what the work resolved with'
  })
  expect(result).toBe('what the work resolved with')
  const expected = new Map([
    [clerk, 1],
    [auditor, 1],
  ])
  expect(await versions(database)).toEqual(expected)
  expect(announced).toEqual([expected])
})

test('nothing is stored or announced if the work fails', async () => {
  const announced: VersionChanges[] = []
  const write = writeWith(database, announced)
  const fail = write(async (inbox) => {
    inbox.createTask(collectPayment, task('a'))
    throw new RangeError('the work failed')
  })
  await expect(fail).rejects.toThrow('the work failed')
  const refused = write(async (inbox) => {
    inbox.createTask(collectPayment, task('b'))
    inbox.createTask(collectPayment, { ...task('c'), title: '' })
    inbox.createTask(collectPayment, task('d'))
  })
  await expect(refused).rejects.toThrow()
  expect(await tasksOf(database)).toEqual([])
  expect(await versions(database)).toEqual(new Map())
  expect(announced).toEqual([])
})

test('nothing is announced when no user sees a change', async () => {
  const announced: VersionChanges[] = []
  const write = writeWith(database, announced)
  await write(async () => {})
  await write(async (inbox) => inbox.cancelTask(collectPayment, 'never'))
  expect(announced).toEqual([])
})

test('writes to one task keep their order', async () => {
  const write = writeWith(database)
  await write(async (inbox) => {
    inbox.createTask(collectPayment, task('z'))
    inbox.createTask(collectPayment, task('a'))
    inbox.completeTask(collectPayment, 'z')
    inbox.cancelTask(collectPayment, 'a')
    inbox.createTask(collectPayment, task('a'))
  })
  expect(
    (await tasksOf(database)).map((stored) => [stored.deduplication_key, stored.status]).toSorted(),
  ).toEqual([
    ['a', 'Open'],
    ['z', 'Completed'],
  ])
})

test('other writes of the same transaction commit together with the items', async () => {
  await writeWith(database)(async (inbox: Inbox, tx: Tx) => {
    inbox.createTask(collectPayment, task('a'))
    await tx.execute(sql`update core_audit.roles set description = 'beside it' where code = 'trade.clerk'`)
  })
  const [role] = await database.read((db) =>
    db.execute(sql`select description from core_audit.roles where code = 'trade.clerk'`),
  )
  expect(role).toEqual({ description: 'beside it' })
})

describe('the desired state of a task', () => {
  const { deduplicationKey: _, ...desired } = task('a')
  const write = (state: DesiredTask) =>
    writeWith(database)(async (inbox) => inbox.sync(collectPayment, 'a', state))
  const stored = async () =>
    (await tasksOf(database)).map(({ title, status, version }) => [title, status, version])

  test('creates a task, does not change an active task, and reopens a closed task if it is an object', async () => {
    await write(desired)
    expect(await stored()).toEqual([['a', 'Open', 1]])
    await write({ ...desired, title: 'not now' })
    expect(await stored()).toEqual([['a', 'Open', 1]])
    await write('completed')
    await write({ ...desired, title: 'again' })
    expect(await stored()).toEqual([['again', 'Open', 3]])
  })

  test.each([
    ['completed', 'Completed'],
    ['cancelled', 'Cancelled'],
  ] as const)('%s closes an active task once, and creates no task', async (state, status) => {
    await write(state)
    expect(await stored()).toEqual([])
    await write(desired)
    await write(state)
    await write('cancelled')
    await write('completed')
    expect(await stored()).toEqual([['a', status, 2]])
  })

  test('is applied in the order of the calls', async () => {
    await writeWith(database)(async (inbox) => {
      inbox.sync(collectPayment, 'a', desired)
      inbox.sync(collectPayment, 'a', 'completed')
    })
    expect(await stored()).toEqual([['a', 'Completed', 2]])
  })

  test.each<[string, DesiredTask]>([
    ['open', desired],
    ['completed', 'completed'],
    ['cancelled', 'cancelled'],
  ])('%s is written once if a transaction repeats it', async (_name, state) => {
    const statements = recordStatements()
    const countOf = async (...states: readonly DesiredTask[]) => {
      await clear(database)
      await write(desired)
      statements.reset()
      await writeWith(statements.observe(database))(async (inbox) => {
        for (const state of states) inbox.sync(collectPayment, 'a', state)
      })
      return statements.count
    }
    expect(await countOf(state, state)).toBe(await countOf(state))
  })

  test('is written for another assignment if the first one has no recipients', async () => {
    await writeWith(database)(async (inbox) => {
      inbox.sync(collectPayment, 'a', { ...desired, assignedTo: { userId: newId() } })
      inbox.sync(collectPayment, 'a', desired)
    })
    expect(await stored()).toEqual([['a', 'Open', 1]])
  })

  test('is open again if a transaction closes the task in between', async () => {
    await write(desired)
    await writeWith(database)(async (inbox) => {
      inbox.sync(collectPayment, 'a', desired)
      inbox.sync(collectPayment, 'a', 'completed')
      inbox.sync(collectPayment, 'a', desired)
    })
    expect(await stored()).toEqual([['a', 'Open', 3]])
  })
})

describe('an inbox', () => {
  test.each<[string, (inbox: Inbox) => void]>([
    ['a task', (inbox) => inbox.createTask(stranger, task('a'))],
    ['a completion', (inbox) => inbox.completeTask(stranger, 'a')],
    ['a cancellation', (inbox) => inbox.cancelTask(stranger, 'a')],
    ['a desired state', (inbox) => inbox.sync(stranger, 'a', 'completed')],
    ['a copy of a definition', (inbox) => inbox.completeTask({ ...collectPayment }, 'a')],
    ['a notification', (inbox) => inbox.createNotification({ ...settled }, notification('a'))],
  ])('throws for %s with a definition that the Work Center was not created with', async (_input, write) => {
    const result = writeWith(database)(async (inbox) => write(inbox))
    await expect(result).rejects.toThrow(/^trade\.\w+ is missing from the definitions of the Work Center$/)
  })

  test('throws for a role that the definition does not list', async () => {
    const stranger = 'trade.stranger'
    const write = writeWith(database)
    await expect(
      write(async (inbox) =>
        inbox.createTask(collectPayment, { ...task('a'), assignedTo: { roleCode: stranger } }),
      ),
    ).rejects.toThrow(new TypeError(`${code} does not list the role ${stranger}`))
    await expect(
      write(async (inbox) =>
        inbox.createNotification(settled, { ...notification('a'), to: { roleCodes: [stranger] } }),
      ),
    ).rejects.toThrow(new TypeError(`${settled.code} does not list the role ${stranger}`))
  })

  test.each<[string, Partial<Source>, RegExp]>([
    ['of another kind', { resourceKind: 'Document' }, /needs a resourceKind/],
    ['with an impossible code', { resourceCode: 'Sales invoice' }, /needs a resourceKind/],
    ['whose id is not a UUID', { entityId: 'SI-1' }, /needs a UUID as entityId/],
  ])('throws for a source %s', async (_input, change, message) => {
    const source = { ...sourceOf(), ...change }
    const write = writeWith(database)
    for (const add of [
      (inbox: Inbox) => inbox.createTask(collectPayment, { ...task('a'), source }),
      (inbox: Inbox) => inbox.createNotification(settled, { ...notification('a'), source }),
    ]) {
      await expect(write(async (inbox) => add(inbox))).rejects.toThrow(message)
    }
  })

  test('throws for a user id that is not a UUID', async () => {
    const write = writeWith(database)
    for (const add of [
      (inbox: Inbox) => inbox.createTask(collectPayment, { ...task('a'), assignedTo: { userId: 'clara' } }),
      (inbox: Inbox) =>
        inbox.createNotification(settled, { ...notification('a'), to: { userIds: ['clara'] } }),
    ]) {
      await expect(write(async (inbox) => add(inbox))).rejects.toThrow(/needs UUIDs as ids of users$/)
    }
  })

  test('throws for a notification without users if its definition is for all roles', async () => {
    const news = { ...settled, roleCodes: [], isForAllRoles: true }
    await database.transaction(async (tx) => {
      const inbox = openInbox(tx, { ...options, definitions: [news] })
      expect(() => inbox.createNotification(news, notification('a'))).toThrow(
        new TypeError(`${settled.code} is for all roles, so each notification must name its users`),
      )
    })
  })

  test('throws for any write after it is finished', async () => {
    await database.transaction(async (tx) => {
      const inbox = openInbox(tx, options)
      await inbox.finish()
      expect(() => inbox.createTask(collectPayment, task('a'))).toThrow(TypeError)
      await expect(inbox.finish()).rejects.toThrow(TypeError)
    })
  })

  test('runs one statement per kind of write, three for locks and one for versions', async () => {
    const statements = recordStatements()
    const write = writeWith(statements.observe(database))
    await write(async (inbox) => {
      for (const key of ['a', 'b', 'c']) {
        inbox.createTask(collectPayment, task(key))
        inbox.completeTask(collectPayment, `no ${key}`)
        inbox.createNotification(settled, notification(key))
      }
    })
    expect(statements.count).toBe(7)
    statements.reset()
    await write(async (inbox) => {
      inbox.completeTask(collectPayment, 'a')
      inbox.createTask(collectPayment, task('a'))
      inbox.cancelTask(collectPayment, 'a')
      inbox.completeTask(collectPayment, 'b')
    })
    // Three statements write to task `a` one after the other. The first of them also writes to task `b`.
    expect(statements.count).toBe(7)
    statements.reset()
    await write(async () => {})
    expect(statements.count).toBe(0)
  })
})

test('two writers of the same tasks in different orders never deadlock', async () => {
  const write = writeWith(database)
  const keys = ['a', 'b', 'c']
  await write(async (inbox) => {
    for (const key of keys) inbox.createTask(collectPayment, task(key))
  })
  const held = await holdTransaction(database, async (tx) => {
    const inbox = openInbox(tx, options)
    for (const key of keys) inbox.completeTask(collectPayment, key)
    await inbox.finish()
  })
  const backwards = writeWith(desk.openPool())(async (inbox) => {
    for (const key of keys.toReversed()) inbox.cancelTask(collectPayment, key)
    for (const key of keys) inbox.createTask(collectPayment, task(key))
  })
  await untilBlocked(database)
  await held.commit()
  await backwards
  expect((await tasksOf(database)).map(({ status, version }) => [status, version])).toEqual(
    keys.map(() => ['Open', 3]),
  )
  // The three commits create, complete and reopen the tasks.
  expect(await versions(database)).toEqual(new Map([[clerk, 3]]))
})

test('a writer waits for a task that another transaction is creating before it locks existing tasks', async () => {
  const write = writeWith(database)
  await write(async (inbox) => inbox.createTask(collectPayment, task('b')))
  const held = await holdTransaction(database, async (tx) => {
    const inbox = openInbox(tx, options)
    inbox.createTask(collectPayment, task('a'))
    await inbox.finish()
  })
  const waiting = writeWith(desk.openPool())(async (inbox) => {
    inbox.completeTask(collectPayment, 'a')
    inbox.completeTask(collectPayment, 'b')
  })
  await untilBlocked(database)
  await database.transaction((tx) =>
    tx.execute(sql`select from work_center.tasks where deduplication_key = 'b' for update nowait`),
  )
  await held.commit()
  await waiting
  expect((await tasksOf(database)).map(({ status }) => status)).toEqual(['Completed', 'Completed'])
})

test('a writer of 501 new tasks acquires one lock, and waits for a transaction that creates one of the tasks', async () => {
  const keys = Array.from({ length: 501 }, (_, n) => `${n}`)
  const held = await holdTransaction(database, async (tx) => {
    const inbox = openInbox(tx, options)
    inbox.createTask(collectPayment, task('7'))
    await inbox.finish()
  })
  const waiting = writeWith(desk.openPool())(async (inbox) => {
    for (const key of keys) inbox.createTask(collectPayment, task(key))
  })
  await untilBlocked(database)
  const [locks] = await database.read((db) =>
    db.execute(sql`
      select count(*)::int as count from pg_catalog.pg_locks
      where locktype = 'advisory' and not granted
        and database = (select oid from pg_catalog.pg_database where datname = current_database())`),
  )
  expect(locks).toEqual({ count: 1 })
  await held.commit()
  await waiting
  expect(await tasksOf(database)).toHaveLength(keys.length)
})

test('a task that is closed while its creator waits is reopened for the current recipients', async () => {
  await writeWith(database)(async (inbox) => inbox.createTask(collectPayment, task('a')))
  const held = await holdTransaction(database, async (tx) => {
    const inbox = openInbox(tx, options)
    inbox.completeTask(collectPayment, 'a')
    await inbox.finish()
  })
  const again = writeWith(desk.openPool())(async (inbox) => inbox.createTask(collectPayment, task('a')))
  await untilBlocked(database)
  await held.commit()
  await again
  expect(await tasksOf(database)).toMatchObject([{ status: 'Open', version: 3 }])
  expect(await versions(database)).toEqual(new Map([[clerk, 3]]))
})
