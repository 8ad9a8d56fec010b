import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AttachmentsHost,
  allPermissions,
  attach,
  complete,
  credentials,
  openAttachmentsHost,
  openStore,
  put,
  reserve,
  targetParameters,
} from './harness.ts'
import { storedEvents } from './rows.ts'

let store: Awaited<ReturnType<typeof openStore>>
let host: AttachmentsHost

beforeAll(async () => {
  store = await openStore()
  host = await openAttachmentsHost({
    store,
    environment: { Attachments__Storage__RequestTimeoutSeconds: '1' },
  })
})
afterAll(async () => {
  await host.close()
  await store.close()
})

/** Texts that log lines, audit events and error responses must not contain. */
const forbidden = [
  ...['X-Amz-', 'Signature', 'AWS4', 'Credential', 'uploads/', 'attachments/019', 'vertical-kit-attachments'],
  ...[credentials.accessKeyId, credentials.secretAccessKey, 'content-canary'],
]

test('logs, audit events and error responses contain no signed URL, storage key, secret or content', async () => {
  const clerk = await host.as({ subject: 'clerk', permissions: [...allPermissions, 'system.audit.view'] })
  const sizeBytes = 'content-canary'.length
  const refusals: string[] = []
  const failing = async (fault: { clear(): void }, id: string) => {
    refusals.push(await (await complete(clerk, id)).text())
    fault.clear()
  }

  const upload = await reserve(clerk, { sizeBytes, fileName: 'name.txt' })
  const { id, target } = upload.attachment
  await put(upload, 'content-canary')
  await failing(store.faults.unreachable(), id)
  await failing(store.faults.fail({ status: 500 }), id)
  await failing(store.faults.hang({ operations: ['HeadObject'] }), id)
  await failing(
    store.faults.before('CopyObject', () => put(upload, 'content-CANARY')),
    id,
  )
  expect((await complete(clerk, id)).status).toBe(200)
  await clerk('POST', `/api/attachments/${id}/download`)
  await clerk('POST', `/api/attachments/${id}/audit-download`)
  await clerk('GET', `/api/attachments?${targetParameters(target)}`)
  await clerk('DELETE', `/api/attachments/${id}`)
  await attach(clerk)

  const events = JSON.stringify(await storedEvents(host.database, id))
  const lines = host.logLines.join('')
  expect(lines.match(/attachments\.storage_unavailable/g)?.length).toBeGreaterThanOrEqual(3)
  expect(lines).toContain('HeadObject failed: ')
  for (const text of [lines, events, ...refusals]) {
    // Removes the paths of our own routes, because they look like storage keys.
    const remaining = text.replaceAll(/\/api\/attachments\/[\w/-]*/g, '')
    for (const word of forbidden) expect(remaining).not.toContain(word)
  }
})
