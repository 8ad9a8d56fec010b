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
const acquire = (lease: ReturnType<typeof claim>) =>
  bench.database.statement((tx) => acquireSealLease(tx, bench.config, lease))

test('a completion stops waiting for a lease when its client disconnects', async () => {
  const { id } = await bench.reserve()
  await leaseToTheDead(bench.database, id)
  const client = new AbortController()
  const services = { database: bench.database, config: bench.config, storage: storageAt(store.url, 120_000) }
  const completion = completeUpload(services, {
    id,
    actor: bench.actor,
    authorize: authorizeAnyone,
    sealLeaseId: newId(),
    signal: client.signal,
  })
  // Without the abort, the completion would wait six minutes for the lease, so the test would exceed its time limit.
  client.abort()
  await expect(completion).rejects.toThrow(
    expect.objectContaining({ code: 'attachments.storage_unavailable' }),
  )
})

test('an attempt acquires the lease only if no other attempt has an active lease', async () => {
  const { id } = await bench.reserve()
  const [first, second, third] = [claim(id), claim(id), claim(id)]
  expect((await acquire(first)).isAcquired).toBe(true)
  expect((await acquire(second)).isAcquired).toBe(false)
  await bench.database.statement((tx) => releaseSealLease(tx, first))
  expect((await acquire(second)).isAcquired).toBe(true)
  await endLease(bench.database, id)
  expect((await acquire(third)).isAcquired).toBe(true)
})

test('exactly one of twenty concurrent attempts acquires the lease', async () => {
  const { id } = await bench.reserve()
  const attempts = await Promise.all(Array.from({ length: 20 }, () => acquire(claim(id))))
  expect(attempts.filter(({ isAcquired }) => isAcquired)).toHaveLength(1)
})

test('an attempt that has lost the lease can neither renew nor release it', async () => {
  const { id } = await bench.reserve()
  const [late, current] = [claim(id), claim(id)]
  const lost = expect.objectContaining({ code: 'attachments.storage_unavailable' })
  await acquire(late)
  await endLease(bench.database, id)
  await expect(bench.database.statement((tx) => renewSealLease(tx, late))).rejects.toThrow(lost)
  await acquire(current)
  await expect(bench.database.statement((tx) => renewSealLease(tx, late))).rejects.toThrow(lost)
  await bench.database.statement((tx) => releaseSealLease(tx, late))
  expect(await storedAttachment(bench.database, id)).toMatchObject({ is_leased: true })
  await bench.database.statement((tx) => renewSealLease(tx, current))
})

test('no attempt acquires the lease of an expired upload', async () => {
  const { id } = await bench.reserve()
  await backdate(bench.database, id, bench.config.pendingStaleAgeMs)
  expect(await acquire(claim(id))).toMatchObject({ isAcquired: false, isExpired: true })
  expect(await storedAttachment(bench.database, id)).toMatchObject({ is_leased: false })
})

test('acquiring the lease of an unknown upload throws attachments.not_found', async () => {
  await expect(acquire(claim(newId()))).rejects.toThrow(
    expect.objectContaining({ code: 'attachments.not_found' }),
  )
})
