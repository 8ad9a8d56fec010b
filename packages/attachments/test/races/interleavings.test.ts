import type { Attachment } from '@vertical-kit/attachments/contract'
import { isKitError, newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { ObjectStore } from '@vertical-kit/dev-services'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeUpload } from '../../src/commands/complete-upload.ts'
import { authorizeAnyone } from '../commands/bench.ts'
import {
  type AttachmentsHost,
  allPermissions,
  downloadedText,
  openAttachmentsHost,
  openStore,
  type PutUpload,
  put,
  reserveAndPut,
} from '../harness.ts'
import { endLease, eventCodes, storedAttachment } from '../rows.ts'
import { storageAt } from '../storage/fake-store.ts'

/** Ignores the conditions of copies, so no condition separates the two attempts. */
let store: ObjectStore
let host: AttachmentsHost
let clerk: TestRequest
/** The gates of the current run, by the key that an attempt verifies. */
const verifications = new Map<string, () => Promise<void>>()

beforeAll(async () => {
  store = await openStore()
  store.faults.ignoreCopyConditions()
  store.faults.before('HeadObject', async ({ key }) => verifications.get(key)?.())
  host = await openAttachmentsHost({ store })
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(async () => {
  await host.close()
  await store.close()
})

/** An attempt that stops before its check, its copy, its verification and its commit. */
function startAttempt({ id, createdByUserId, createdByDisplayName }: Attachment, verifiedKey: string) {
  let arrived = Promise.withResolvers<void>()
  let released = Promise.withResolvers<void>()
  const gate = async () => {
    arrived.resolve()
    await released.promise
  }
  verifications.set(verifiedKey, gate)
  const storage = storageAt(store.url)
  const services = {
    config: host.config,
    isScanned: false,
    storage: {
      ...storage,
      head: async (staged: string) => gate().then(() => storage.head(staged)),
      seal: async (request: Parameters<typeof storage.seal>[0]) => gate().then(() => storage.seal(request)),
    },
    database: {
      ...host.database,
      transaction: async <T>(work: Parameters<typeof host.database.transaction<T>>[0]) =>
        gate().then(() => host.database.transaction(work)),
    },
  }
  let isSettled = false
  const outcome = completeUpload(services, {
    id,
    actor: { userId: createdByUserId, displayName: createdByDisplayName, correlationId: 'request-1' },
    authorize: authorizeAnyone,
    sealLeaseId: newId(),
    signal: new AbortController().signal,
  })
    .then(
      ({ status }) => status,
      (error: unknown) => (isKitError(error) ? error.code : error),
    )
    .finally(() => {
      isSettled = true
    })
  const stopped = () => Promise.race([outcome, arrived.promise])
  return {
    outcome,
    stopped,
    /** Lets the attempt continue to its next stop or its end. */
    async step(): Promise<void> {
      if (isSettled) return
      await stopped()
      const { resolve } = released
      arrived = Promise.withResolvers()
      released = Promise.withResolvers()
      resolve()
      await stopped()
    },
  }
}

/** The steps of the holder of the lease and of the attempt that takes it over, and replacements of the upload. */
const steps = fc.shuffledSubarray(
  [
    ...Array.from({ length: 4 }, () => 'holder' as const),
    ...Array.from({ length: 5 }, () => 'taker' as const),
    ...Array.from({ length: 3 }, () => 'replace' as const),
  ],
  { minLength: 12 },
)

async function run(upload: PutUpload, schedule: readonly ('holder' | 'taker' | 'replace')[]) {
  const { attachment } = upload
  const { id } = attachment
  const holder = startAttempt(attachment, `attachments/${id}`)
  await holder.stopped()
  let taker: ReturnType<typeof startAttempt> | null = null
  let replacementCount = 0
  let sealedText: string | null = null
  for (const step of schedule) {
    if (step === 'replace') {
      replacementCount += 1
      await put(upload, replacementCount % 2 === 1 ? 'HELLO' : 'hello')
    } else if (step === 'holder') await holder.step()
    else if (taker !== null) await taker.step()
    else {
      if ((await storedAttachment(host.database, id))?.is_leased) await endLease(host.database, id)
      taker = startAttempt(attachment, `attachments/${id}.2`)
      await taker.stopped()
    }
    const isReady = (await storedAttachment(host.database, id))?.status === 'ready'
    if (isReady) sealedText ??= await downloadedText(clerk, id)
  }
  return { outcomes: [await holder.outcome, await taker?.outcome], sealedText }
}

test('whenever one attempt takes over from another, and the upload is replaced, ready bytes never change', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (schedule) => {
      const upload = await reserveAndPut(clerk)
      const { id } = upload.attachment
      const { outcomes, sealedText } = await run(upload, schedule)
      const refusals = ['attachments.upload_changed', 'attachments.storage_unavailable']
      for (const outcome of outcomes) expect(['ready', ...refusals]).toContain(outcome)
      const isReady = outcomes.includes('ready')
      expect((await storedAttachment(host.database, id))?.status).toBe(isReady ? 'ready' : 'pending')
      expect(await eventCodes(host.database, id)).toEqual(
        isReady ? ['upload_requested', 'upload_completed'] : ['upload_requested'],
      )
      if (isReady) expect(await downloadedText(clerk, id)).toBe(sealedText)
      verifications.clear()
    }),
    { numRuns: 40, endOnFailure: true },
  )
})
