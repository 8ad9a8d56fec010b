import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { ObjectStore } from '@vertical-kit/dev-services'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type AttachmentsHost,
  allPermissions,
  complete,
  downloadedText,
  openAttachmentsHost,
  openStore,
  put,
  putPart,
  reserveAndPut,
  reserveAndPutPart,
  signedPart,
} from '../harness.ts'
import { holdFirst } from '../hold-first.ts'
import { eventCodes, holdingRow } from '../rows.ts'
import { storedKeys } from '../stored-files.ts'
import { startCompletingHost, untilCommitIsBlocked } from './start-completing-host.ts'

/** Short, so that the tests need not wait for a lease of 15 s. The lease still expires by the clock of the database. */
const sealLeaseMs = 1_000
/** Ignores the conditions of copies: on such a store, nothing but its own key separates a copy from the others. */
let store: ObjectStore
let host: AttachmentsHost
let clerk: TestRequest

beforeAll(async () => {
  store = await openStore()
  host = await openAttachmentsHost({ store, sealLeaseMs })
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterEach(() => store.faults.clear())
afterAll(async () => {
  await host.close()
  await store.close()
})

/** Completes the upload with other bytes than the first host has checked, then uploads the checked bytes again. */
async function takeOver(upload: Awaited<ReturnType<typeof reserveAndPut>>): Promise<void> {
  const { id } = upload.attachment
  await put(upload, 'HELLO')
  expect((await complete(clerk, id)).status).toBe(200)
  expect(await downloadedText(clerk, id)).toBe('HELLO')
  await put(upload, 'hello')
}

async function expectSealedOnce(id: string): Promise<void> {
  expect(await downloadedText(clerk, id)).toBe('HELLO')
  expect(await eventCodes(host.database, id)).toEqual(['upload_requested', 'upload_completed'])
}

test('if a host is killed before, during or after its copy, another host completes the upload', async () => {
  store.faults.ignoreCopyConditions()
  const uploads = [await reserveAndPut(clerk), await reserveAndPut(clerk), await reserveAndPut(clerk)]
  const [before = '', during = '', after = ''] = uploads.map(({ attachment }) => attachment.id)
  const check = holdFirst(store, 'HeadObject', `uploads/${before}`)
  const copy = holdFirst(store, 'CopyObject', `attachments/${during}`)
  const verification = holdFirst(store, 'HeadObject', `attachments/${after}`)
  const dying = startCompletingHost(host, [before, during, after])
  await Promise.all([check.reached, copy.reached, verification.reached])
  await holdingRow(host.database, after, async () => {
    verification.letGo()
    await untilCommitIsBlocked(host)
    await dying.kill()
  })
  await Promise.all(uploads.map(takeOver))
  check.letGo()
  copy.letGo()
  await expect.poll(() => storedKeys(store)).toContain(`attachments/${during}`)
  for (const id of [before, during, after]) await expectSealedOnce(id)
})

test('if a host is frozen before or during its copy, it cannot change what another host has completed', async () => {
  store.faults.ignoreCopyConditions()
  const uploads = [await reserveAndPut(clerk), await reserveAndPut(clerk)]
  const [before = '', during = ''] = uploads.map(({ attachment }) => attachment.id)
  const check = holdFirst(store, 'HeadObject', `uploads/${before}`)
  const copy = holdFirst(store, 'CopyObject', `attachments/${during}`)
  const frozen = startCompletingHost(host, [before, during])
  await Promise.all([check.reached, copy.reached])
  frozen.freeze()
  await Promise.all(uploads.map(takeOver))
  check.letGo()
  copy.letGo()
  frozen.unfreeze()
  // The host continues, makes both copies, and finds at its commits that the uploads are ready.
  expect(await frozen.statuses()).toEqual([200, 200])
  expect(await storedKeys(store)).toEqual(
    expect.arrayContaining([`attachments/${before}`, `attachments/${during}`]),
  )
  for (const id of [before, during]) await expectSealedOnce(id)
})

test('if a host is killed while the store joins parts, another host completes the upload', async () => {
  const { id } = (await reserveAndPutPart(clerk)).attachment
  const url = await signedPart(clerk, id)
  const join = holdFirst(store, 'CompleteMultipartUpload')
  const dying = startCompletingHost(host, [id])
  await join.reached
  await dying.kill()
  await putPart(url, 'HELLO')
  expect((await complete(clerk, id)).status).toBe(200)
  join.letGo()
  await expectSealedOnce(id)
})
