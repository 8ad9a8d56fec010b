import { expect, onTestFinished, test } from 'vitest'
import { hello, newTarget, openAttachmentsHost, openStore, refusalOf, reserve } from '../harness.ts'
import { storedAttachment, storedEvents } from '../rows.ts'
import { openScanBench, scanDue, scanWorker } from './scan-bench.ts'

test('a scanner that does not answer within the limit leaves the file unavailable', async () => {
  const bench = await openScanBench({ scanTimeoutMs: 50 })
  onTestFinished(() => bench.close())
  bench.judge = () => new Promise(() => {})
  const id = await bench.upload()
  expect(await bench.scanDue()).toMatchObject([{ attachmentId: id, err: { name: 'TimeoutError' } }])
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'scanning' })
})

test('a scanner that does not read the whole file cannot call it clean', async () => {
  const bench = await openScanBench()
  onTestFinished(() => bench.close())
  const id = await bench.upload()
  const lazy = await openAttachmentsHost({
    store: bench.store,
    databaseUrl: bench.databaseUrl,
    scanner: async () => ({ isClean: true }),
  })
  onTestFinished(() => lazy.close())
  expect(await scanDue(scanWorker(lazy))).toMatchObject([
    { attachmentId: id, err: { message: 'The scanner read 0 of 5 bytes.' } },
  ])
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'scanning' })
})

test('a claim that fails during a slow scan does not keep the host from scanning other files', async () => {
  const bench = await openScanBench({ database: { poolMax: 1, poolWaitMs: 200 } })
  onTestFinished(() => bench.close())
  const slow = await bench.upload()
  const held = Promise.withResolvers<void>()
  bench.judge = async ({ id }) => {
    if (id === slow) await held.promise
    return { isClean: true }
  }
  const scanning = bench.scanDue()
  await expect.poll(() => bench.scanned.length).toBe(1)
  const busy = Promise.withResolvers<void>()
  const holding = bench.database.transaction(() => busy.promise)
  scanWorker(bench).bell?.ring()
  await expect.poll(() => bench.database.load.waitingCount, { interval: 5 }).toBe(1)
  await expect.poll(() => bench.database.load.waitingCount).toBe(0)
  busy.resolve()
  await holding
  const quick = await bench.upload()
  await expect
    .poll(() => storedAttachment(bench.database, quick), { timeout: 10_000 })
    .toMatchObject({ status: 'ready' })
  held.resolve()
  expect(await scanning).toMatchObject([{ err: { code: 'service.unavailable' } }])
})

test('a finding that cannot be stored as it is quarantines the file', async () => {
  const bench = await openScanBench()
  onTestFinished(() => bench.close())
  bench.judge = async () => ({ isClean: false, finding: `Eicar\u0000\ud800${'x'.repeat(300)}` })
  const id = await bench.upload()
  await bench.scanDue()
  const [, , event] = await storedEvents(bench.database, id)
  expect(event?.metadata).toMatchObject({ finding: `Eicar \ufffd${'x'.repeat(193)}` })
})

test('the workers of two hosts scan each file once', async () => {
  const store = await openStore()
  const one = await openScanBench({ store })
  const other = await openScanBench({ store, databaseUrl: one.databaseUrl })
  onTestFinished(async () => {
    await other.close()
    await one.close()
    await store.close()
  })
  const ids = await Promise.all(Array.from({ length: 10 }, () => one.upload()))
  await Promise.all([one.scanDue(), other.scanDue()])
  const scanned = [...one.scanned, ...other.scanned].map(({ id }) => id)
  expect(scanned.toSorted()).toEqual(ids.toSorted())
  for (const id of ids) expect(await storedAttachment(one.database, id)).toMatchObject({ status: 'ready' })
})

test('files that are scanned count as uploads in progress of their author', async () => {
  const bench = await openScanBench({ environment: { Attachments__MaxPendingPerUser: '2' } })
  onTestFinished(() => bench.close())
  await bench.upload()
  await reserve(bench.clerk)
  const body = { target: newTarget(), ...hello }
  const refused = () => bench.clerk('POST', '/api/attachments/uploads', { body })
  expect(await refusalOf(await refused())).toMatchObject({ status: 429, code: 'request.rate_limited' })
  await bench.scanDue()
  await reserve(bench.clerk)
})
