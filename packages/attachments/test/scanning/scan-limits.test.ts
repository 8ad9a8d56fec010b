import { expect, onTestFinished, test } from 'vitest'
import { hello, newTarget, openAttachmentsHost, openStore, refusalOf, reserve } from '../harness.ts'
import { storedAttachment } from '../rows.ts'
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
