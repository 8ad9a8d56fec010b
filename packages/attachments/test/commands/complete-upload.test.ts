import { newId } from '@vertical-kit/core-audit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeUpload } from '../../src/commands/complete-upload.ts'
import { openStore } from '../harness.ts'
import { leaseToTheDead } from '../rows.ts'
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

test('a completion stops waiting for a lease when its client disconnects', async () => {
  const { id } = await bench.reserve()
  await leaseToTheDead(bench.database, id)
  const client = new AbortController()
  const storage = storageAt(store.url, 120_000)
  const services = { database: bench.database, config: bench.config, storage, isScanned: false }
  const completion = completeUpload(services, {
    id,
    actor: bench.actor,
    authorize: authorizeAnyone,
    sealLeaseId: newId(),
    signal: client.signal,
  })
  const left = new Error('The client has left')
  client.abort(left)
  // Without the abort, the completion would fail, too, but only at its own time limit.
  await expect(completion).rejects.toMatchObject({
    code: 'attachments.storage_unavailable',
    cause: { cause: left },
  })
})
