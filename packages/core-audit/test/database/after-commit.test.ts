import {
  type AuditedObject,
  createDatabase,
  type Database,
  databaseDefaults,
} from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase, runSql } from '../harness.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await openDatabase()
  database = createDatabase({ ...databaseDefaults, url: fresh.url })
  await runSql(fresh.url, 'create table public.written (value int)')
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})
beforeEach(() => runSql(fresh.url, 'truncate public.written'))

const write = sql`insert into public.written values (1)`

/** Returns the number of committed rows. */
async function visibleCount(): Promise<number> {
  const [row] = await database.read((db) =>
    db.execute<{ count: number }>(sql`select count(*)::int as count from public.written`),
  )
  return row?.count ?? 0
}

test.each(['transaction', 'statement'] as const)(
  'an after-commit callback of a %s sees the committed rows',
  async (kind) => {
    const seen: Promise<number>[] = []
    await database[kind]((tx) => {
      tx.afterCommit(() => void seen.push(visibleCount()))
      return tx.execute(write)
    })
    expect(await Promise.all(seen)).toEqual([1])
  },
)

test('an after-commit callback of a savepoint that was rolled back does not run', async () => {
  const called: string[] = []
  await database.transaction(async (tx) => {
    const part = tx.savepoint(async (outer) => {
      outer.afterCommit(() => void called.push('outer'))
      await outer.savepoint(async (inner) => inner.afterCommit(() => void called.push('inner')))
      throw new Error('refused')
    })
    await expect(part).rejects.toThrow('refused')
    await tx.savepoint(async (kept) => kept.afterCommit(() => void called.push('kept')))
  })
  expect(called).toEqual(['kept'])
})

test('an after-commit callback runs once, even if it is added several times, also in a savepoint', async () => {
  let count = 0
  const act = (): void => {
    count += 1
  }
  await database.transaction(async (tx) => {
    tx.afterCommit(act)
    tx.afterCommit(act)
    await tx.savepoint(async (part) => part.afterCommit(act))
    expect(count).toBe(0)
  })
  expect(count).toBe(1)
})

test('an after-commit callback does not run after a rollback or a failed commit', async () => {
  let count = 0
  const act = (): void => {
    count += 1
  }
  const undone = database.transaction(async (tx) => {
    tx.afterCommit(act)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await runSql(
    fresh.url,
    'create table public.deferred (value int, constraint once unique (value) deferrable initially deferred)',
  )
  const refused = database.transaction(async (tx) => {
    tx.afterCommit(act)
    await tx.execute(sql`insert into public.deferred values (1), (1)`)
  })
  await expect(refused).rejects.toMatchObject({ constraint_name: 'once' })
  expect(count).toBe(0)
})

test('the objects of audit events are reported once after the commit, and not after a rollback', async () => {
  const reported: (readonly AuditedObject[])[] = []
  const stop = database.onAudited((objects) => reported.push(objects))
  const [one, two] = ['one', 'two'].map((id) => ({ kind: 'Document', typeCode: 'trade.invoice', id }))
  if (one === undefined || two === undefined) throw new Error('unreachable')
  await database.transaction(async (tx) => {
    tx.audited(one)
    await tx.savepoint(async (part) => part.audited(two))
    const undone = tx.savepoint(async (part) => {
      part.audited(one)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(reported).toEqual([])
  })
  await database.statement((tx) => {
    tx.audited(two)
    return tx.execute(write)
  })
  await database.statement((tx) => tx.execute(write))
  const failed = database.transaction(async (tx) => {
    tx.audited(one)
    throw new Error('undone')
  })
  await expect(failed).rejects.toThrow('undone')
  expect(reported).toEqual([[one, two], [two]])
  stop()
  await database.transaction(async (tx) => tx.audited(one))
  expect(reported).toHaveLength(2)
})
