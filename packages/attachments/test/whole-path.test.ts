import type { AuditEventPage } from '@vertical-kit/core-audit/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AttachmentsHost,
  allPermissions,
  complete,
  downloadedText,
  expectJson,
  newTarget,
  openAttachmentsHost,
  openStore,
  reserveAndPut,
  targetParameters,
} from './harness.ts'

let store: Awaited<ReturnType<typeof openStore>>
let host: AttachmentsHost

beforeAll(async () => {
  store = await openStore()
  host = await openAttachmentsHost({ store })
})

afterAll(async () => {
  await host.close()
  await store.close()
})

test('a file can be reserved, uploaded, completed, listed, counted, downloaded, deleted and audited', async () => {
  const clerk = await host.as({
    subject: 'clerk',
    permissions: [...allPermissions, 'document.trade.sales_invoice.view_audit'],
  })
  const target = newTarget()
  const parameters = targetParameters(target)
  const list = async () =>
    expectJson<{ items: unknown[] }>(await clerk('GET', `/api/attachments?${parameters}`), 200)
  const summary = async () =>
    expectJson<object>(await clerk('GET', `/api/business-objects/content-summary?${parameters}`), 200)

  const { attachment } = await reserveAndPut(clerk, { target, fileName: 'C:\\fakepath\\Angebot für Zoë.txt' })
  expect(attachment).toMatchObject({ target, fileName: 'Angebot für Zoë.txt', status: 'pending' })
  expect(await list()).toEqual({ items: [], nextCursor: null })

  const ready = await expectJson<object>(await complete(clerk, attachment.id), 200)
  expect(ready).toEqual({ ...attachment, status: 'ready', completedAtUtc: expect.any(String) })
  expect(await list()).toEqual({ items: [ready], nextCursor: null })
  expect(await summary()).toEqual({ attachments: 1, notes: null })
  expect(await downloadedText(clerk, attachment.id)).toBe('hello')

  expect((await clerk('DELETE', `/api/attachments/${attachment.id}`)).status).toBe(204)
  expect(await list()).toEqual({ items: [], nextCursor: null })
  expect(await summary()).toEqual({ attachments: 0, notes: null })
  const audited = await clerk('POST', `/api/attachments/${attachment.id}/audit-download`)
  expect(await (await fetch((await expectJson<{ url: string }>(audited, 200)).url)).text()).toBe('hello')

  const timeline = await expectJson<AuditEventPage>(
    await clerk('GET', `/api/audit/events?${parameters}`),
    200,
  )
  expect(timeline.items.map(({ actionCode, download }) => [actionCode, download])).toEqual([
    ['attachments.mark_for_deletion', { attachmentId: attachment.id }],
    ['attachments.upload_completed', { attachmentId: attachment.id }],
    ['attachments.upload_requested', null],
  ])
})
