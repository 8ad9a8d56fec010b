import { newId } from '@vertical-kit/core-audit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeUpload } from '../../src/commands/complete-upload.ts'
import { acquireSealLease, releaseSealLease, renewSealLease } from '../../src/commands/seal-lease.ts'
import { openStore } from '../harness.ts'
import { backdate, endLease, leaseToTheDead, storedAttachment } from '../rows.ts'
import { storageAt } from '../storage/fake-store.ts'
import { authorizeAnyone, type Bench, openBench } from './bench.ts'

let bench: Bench
let store: Awaited<ReturnType<typeof openStore>>

beforeAll(async () => {
  bench = await openBench()
  store = await openStore()
})
afterAll(async () => {
  await bench.close()
  await store.close()
})

const claim = (id: string) => ({ id, sealLeaseId: newId(), leaseMs: 60_000 })
const take = (wanted: ReturnType<typeof claim>) =>
  bench.database.statement((tx) => acquireSealLease(tx, bench.config, wanted))

test('who waits for a lease stops when nobody waits for the answer any more', async () => {
  const { id } = await bench.reserve()
  await leaseToTheDead(bench.database, id)
  const leaving = new AbortController()
  const services = { database: bench.database, config: bench.config, storage: storageAt(store.url, 120_000) }
  const completion = completeUpload(services, {
    id,
    actor: bench.actor,
    authorize: authorizeAnyone,
    sealLeaseId: newId(),
    signal: leaving.signal,
  })
  // Six minutes it would wait for the store's sake; the test would not.
  leaving.abort()
  await expect(completion).rejects.toThrow(
    expect.objectContaining({ code: 'attachments.storage_unavailable' }),
  )
})

test('a lease is one claimer’s until it is given back or its lease ends', async () => {
  const { id } = await bench.reserve()
  const [first, second, third] = [claim(id), claim(id), claim(id)]
  expect((await take(first)).isAcquired).toBe(true)
  expect((await take(second)).isAcquired).toBe(false)
  await bench.database.statement((tx) => releaseSealLease(tx, first))
  expect((await take(second)).isAcquired).toBe(true)
  await endLease(bench.database, id)
  expect((await take(third)).isAcquired).toBe(true)
})

test('of twenty claimers at once one takes the lease', async () => {
  const { id } = await bench.reserve()
  const turns = await Promise.all(Array.from({ length: 20 }, () => take(claim(id))))
  expect(turns.filter(({ isAcquired }) => isAcquired)).toHaveLength(1)
})

test('a lease is neither renewed nor given back by who has lost it', async () => {
  const { id } = await bench.reserve()
  const [late, current] = [claim(id), claim(id)]
  const lost = expect.objectContaining({ code: 'attachments.storage_unavailable' })
  await take(late)
  await endLease(bench.database, id)
  await expect(bench.database.statement((tx) => renewSealLease(tx, late))).rejects.toThrow(lost)
  await take(current)
  await expect(bench.database.statement((tx) => renewSealLease(tx, late))).rejects.toThrow(lost)
  await bench.database.statement((tx) => releaseSealLease(tx, late))
  expect(await storedAttachment(bench.database, id)).toMatchObject({ is_leased: true })
  await bench.database.statement((tx) => renewSealLease(tx, current))
})

test('nobody takes a lease at an upload whose time is over', async () => {
  const { id } = await bench.reserve()
  await backdate(bench.database, id, bench.config.pendingStaleAgeMs)
  expect(await take(claim(id))).toMatchObject({ isAcquired: false, isExpired: true })
  expect(await storedAttachment(bench.database, id)).toMatchObject({ is_leased: false })
})

test('there is no lease at what does not exist', async () => {
  await expect(take(claim(newId()))).rejects.toThrow(
    expect.objectContaining({ code: 'attachments.not_found' }),
  )
})
