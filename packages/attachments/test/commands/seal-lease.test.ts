import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  acquireSealLease,
  releaseSealLease,
  releaseSoon,
  renewSealLease,
  type SealLease,
  whileRenewing,
} from '../../src/commands/seal-lease.ts'
import { backdate, endLease, holdingRow, storedAttachment } from '../rows.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench

beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

const claim = (id: string): SealLease => ({ id, sealLeaseId: newId(), leaseMs: 60_000 })
const acquire = (lease: SealLease) =>
  bench.database.statement((tx) => acquireSealLease(tx, bench.config, lease))
const renew = (lease: SealLease) => bench.database.statement((tx) => renewSealLease(tx, lease))
const release = (lease: SealLease, copy: { readonly isCopySent: boolean }) =>
  bench.database.statement((tx) => releaseSealLease(tx, { ...lease, ...copy }))

test('an attempt acquires the lease only if no other attempt has an active lease', async () => {
  const { id } = await bench.reserve()
  const [first, second, third] = [claim(id), claim(id), claim(id)]
  expect(await acquire(first)).toMatchObject({ sealAttempt: 1 })
  expect(await acquire(second)).toMatchObject({ sealAttempt: null })
  await release(first, { isCopySent: true })
  expect(await acquire(second)).toMatchObject({ sealAttempt: 2 })
  await endLease(bench.database, id)
  expect(await acquire(third)).toMatchObject({ sealAttempt: 3 })
})

test('the number of an attempt is used again only if the attempt releases its lease without a copy', async () => {
  const { id } = await bench.reserve()
  const [dead, idle, next] = [claim(id), claim(id), claim(id)]
  await acquire(dead)
  await endLease(bench.database, id)
  expect(await acquire(idle)).toMatchObject({ sealAttempt: 2 })
  await release(dead, { isCopySent: false })
  await release(idle, { isCopySent: false })
  expect(await acquire(next)).toMatchObject({ sealAttempt: 2 })
})

test('exactly one of twenty concurrent attempts acquires the lease', async () => {
  const { id } = await bench.reserve()
  const attempts = await Promise.all(Array.from({ length: 20 }, () => acquire(claim(id))))
  expect(attempts.filter(({ sealAttempt }) => sealAttempt === 1)).toHaveLength(1)
  expect(attempts.filter(({ sealAttempt }) => sealAttempt === null)).toHaveLength(19)
})

test('an attempt that has lost the lease can neither renew nor release it', async () => {
  const { id } = await bench.reserve()
  const [late, current] = [claim(id), claim(id)]
  await acquire(late)
  await endLease(bench.database, id)
  expect(await renew(late)).toBe(false)
  await acquire(current)
  expect(await renew(late)).toBe(false)
  await release(late, { isCopySent: true })
  expect(await storedAttachment(bench.database, id)).toMatchObject({ is_leased: true })
  expect(await renew(current)).toBe(true)
})

test('an attempt to acquire the lease does not wait for a transaction that has locked the row', async () => {
  const { id } = await bench.reserve()
  await holdingRow(bench.database, id, async () => {
    expect(await acquire(claim(id))).toMatchObject({ sealAttempt: null, status: 'pending' })
  })
  expect(await acquire(claim(id))).toMatchObject({ sealAttempt: 1 })
})

test('no attempt acquires the lease of an expired upload', async () => {
  const { id } = await bench.reserve()
  await backdate(bench.database, id, bench.config.pendingStaleAgeMs)
  expect(await acquire(claim(id))).toMatchObject({ sealAttempt: null, isExpired: true })
  expect(await storedAttachment(bench.database, id)).toMatchObject({ is_leased: false })
})

test('acquiring the lease of an unknown upload throws attachments.not_found', async () => {
  await expect(acquire(claim(newId()))).rejects.toThrow(
    expect.objectContaining({ code: 'attachments.not_found' }),
  )
})

/** Wraps the database to count its statements. The first `failingCount` statements run, but their responses are lost. */
function losingResponses(failingCount: number) {
  const statements = { count: 0 }
  const database: Database = {
    ...bench.database,
    async statement(work) {
      statements.count += 1
      const isLost = statements.count <= failingCount
      const result = await bench.database.statement(work)
      if (isLost) throw new Error('The response was lost')
      return result
    },
  }
  return { database, statements }
}

test('the lease of a failed attempt is released when the database can be reached again', async () => {
  const { id } = await bench.reserve()
  const lease = claim(id)
  await acquire(lease)
  let isReachable = false
  let tries = 0
  const database: Database = {
    ...bench.database,
    async statement(work) {
      tries += 1
      if (!isReachable) throw new Error('The database cannot be reached')
      return bench.database.statement(work)
    },
  }
  await releaseSoon(database, { ...lease, isCopySent: true })
  await expect.poll(() => tries, { timeout: 10_000 }).toBeGreaterThan(1)
  expect(await storedAttachment(bench.database, id)).toMatchObject({ is_leased: true })
  isReachable = true
  await expect
    .poll(() => storedAttachment(bench.database, id), { timeout: 10_000 })
    .toMatchObject({ is_leased: false })
  const releasedAfter = tries
  expect(await acquire(claim(id))).toMatchObject({ sealAttempt: 2 })
  expect(tries).toBe(releasedAfter)
})

async function leaseEnd(id: string): Promise<string | undefined> {
  const [row] = await bench.database.read((db) =>
    db.execute<{ until: string }>(sql`
      select seal_lease_until::text as until from attachments.attachments where id = ${id}::uuid`),
  )
  return row?.until
}

test('a lease is renewed while the work runs, even after the response to a renewal was lost', async () => {
  const { id } = await bench.reserve()
  // A renewal follows every second.
  const lease = { ...claim(id), leaseMs: 5_000 }
  await acquire(lease)
  const { database, statements } = losingResponses(1)
  await whileRenewing(database, lease, async () => {
    await expect.poll(() => statements.count, { timeout: 10_000 }).toBe(1)
    const firstEnd = await leaseEnd(id)
    await expect.poll(() => leaseEnd(id), { timeout: 10_000 }).not.toBe(firstEnd)
  })
  expect(await acquire(claim(id))).toMatchObject({ sealAttempt: null })
})

test.each([
  ['the work has succeeded', () => Promise.resolve()],
  ['the work has failed', () => Promise.reject(new Error('The store failed'))],
])('no renewal starts after %s', async (_when, settle) => {
  const { id } = await bench.reserve()
  const { database, statements } = losingResponses(Number.POSITIVE_INFINITY)
  await whileRenewing(database, { ...claim(id), leaseMs: 5 }, async () => {
    await expect.poll(() => statements.count).toBeGreaterThan(2)
    await settle()
  }).catch(() => {})
  const { count } = statements
  // Together, these round trips take far longer than the pause of one millisecond between renewals.
  for (let trip = 0; trip < 20; trip += 1) await leaseEnd(id)
  expect(statements.count).toBe(count)
})

test('no renewal follows after the lease is lost', async () => {
  const { id } = await bench.reserve()
  const { database, statements } = losingResponses(0)
  await whileRenewing(database, { ...claim(id), leaseMs: 5 }, async () => {
    await expect.poll(() => statements.count).toBe(1)
    for (let trip = 0; trip < 20; trip += 1) await leaseEnd(id)
  })
  expect(statements.count).toBe(1)
})
