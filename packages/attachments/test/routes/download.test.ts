import { Download } from '@vertical-kit/attachments/contract'
import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allPermissions, attach, expectJson, refusalOf, reserve } from '../harness.ts'
import { openRoutesBench, type RoutesBench } from './bench.ts'

let bench: RoutesBench
let auditor: TestRequest
let typeAuditor: TestRequest
let auditorWithoutContent: TestRequest

beforeAll(async () => {
  bench = await openRoutesBench({ Attachments__DownloadLifetime: '00:02:00' })
  const read = 'system.attachments.read'
  auditor = await bench.as({ subject: 'auditor', permissions: [read, 'system.audit.view'] })
  typeAuditor = await bench.as({
    subject: 'type-auditor',
    permissions: [read, 'document.trade.sales_invoice.view_audit'],
  })
  auditorWithoutContent = await bench.as({ subject: 'bare-auditor', permissions: ['system.audit.view'] })
})
afterAll(() => bench.close())

const ask = (request: TestRequest, id: string, route: string) =>
  request('POST', `/api/attachments/${id}/${route}`)
const deleted = async () => {
  const attachment = await attach(bench.clerk)
  await bench.clerk('DELETE', `/api/attachments/${attachment.id}`)
  return attachment
}

describe('the download route', () => {
  const download = (id: string, request = bench.clerk) => ask(request, id, 'download')

  test('returns the URL of a ready attachment, which serves the file with its original name', async () => {
    const { id } = await attach(bench.clerk, { fileName: 'Zoë "x".html', contentType: 'text/html' })
    const before = Date.now()
    const { url, expiresAtUtc } = v.parse(Download, await expectJson(await download(id), 200))
    expect(Date.parse(expiresAtUtc) - before).toBeGreaterThan(119_000 - 1_000)
    expect(Date.parse(expiresAtUtc) - Date.now()).toBeLessThanOrEqual(121_000)
    const file = await fetch(url)
    expect(await file.text()).toBe('hello')
    expect(file.headers.get('content-type')).toBe('application/octet-stream')
    expect(file.headers.get('cache-control')).toBe('no-store')
    expect(file.headers.get('content-disposition')).toBe(
      `attachment; filename="Zo_ _x_.html"; filename*=UTF-8''Zo%C3%AB%20%22x%22.html`,
    )
  })

  test('returns a URL that stays valid after the attachment is deleted', async () => {
    const { id } = await attach(bench.clerk)
    const { url } = await expectJson<Download>(await download(id), 200)
    await bench.clerk('DELETE', `/api/attachments/${id}`)
    expect(await (await fetch(url)).text()).toBe('hello')
  })

  test('returns 409 not_ready for a pending attachment and 409 deleted for a deleted attachment', async () => {
    const { attachment } = await reserve(bench.clerk)
    expect(await refusalOf(await download(attachment.id))).toEqual({
      status: 409,
      code: 'attachments.not_ready',
    })
    expect(await refusalOf(await download((await deleted()).id))).toEqual({
      status: 409,
      code: 'attachments.deleted',
    })
  })
})

describe('the audit-download route', () => {
  const download = (id: string, request = auditor) => ask(request, id, 'audit-download')

  test('returns the URL of ready and deleted attachments to callers with audit access', async () => {
    for (const { id } of [await attach(bench.clerk), await deleted()]) {
      for (const request of [auditor, typeAuditor]) {
        const { url } = v.parse(Download, await expectJson(await download(id, request), 200))
        expect(await (await fetch(url)).text()).toBe('hello')
      }
    }
  })

  test('returns 409 for an upload that was never completed, before and after its deletion', async () => {
    const { attachment } = await reserve(bench.clerk)
    const notReady = { status: 409, code: 'attachments.not_ready' }
    expect(await refusalOf(await download(attachment.id))).toEqual(notReady)
    await bench.clerk('DELETE', `/api/attachments/${attachment.id}`)
    expect(await refusalOf(await download(attachment.id))).toEqual(notReady)
  })

  test('returns 403 with the missing permission to callers without audit access', async () => {
    const { id } = await deleted()
    expect(await refusalOf(await download(id, bench.clerk))).toEqual({
      status: 403,
      code: 'permission.denied',
      context: { permission: 'document.trade.sales_invoice.view_audit' },
    })
  })

  test('returns 403 to callers with audit access but without the permission to read attachments', async () => {
    const { id } = await deleted()
    expect(await refusalOf(await download(id, auditorWithoutContent))).toEqual({
      status: 403,
      code: 'permission.denied',
      context: { permission: 'system.attachments.read' },
    })
  })

  test('returns 403 as soon as the audit permission is removed from the role of the caller', async () => {
    const { id } = await deleted()
    const former = await bench.as({
      subject: 'former-auditor',
      permissions: ['system.attachments.read', 'system.audit.view'],
    })
    expect((await download(id, former)).status).toBe(200)
    await bench.database.statement((tx) =>
      tx.execute(sql`
        update core_audit.roles set permissions = '{system.attachments.read}'
        where id in (
          select role_id from core_audit.user_roles join core_audit.users on id = user_id
          where subject = 'former-auditor'
        )`),
    )
    expect((await download(id, former)).status).toBe(403)
  })
})

describe.each(['download', 'audit-download'])('the %s route', (route) => {
  const all = () =>
    bench.as({ subject: `all-${route}`, permissions: [...allPermissions, 'system.audit.view'] })

  test('returns the same 404 for unknown ids, malformed ids and unreadable targets', async () => {
    const request = await all()
    const hidden = await attach(bench.clerk)
    bench.hidden.add(hidden.target.id)
    for (const id of [newId(), 'not-an-id', hidden.id]) {
      expect(await refusalOf(await ask(request, id, route))).toEqual({
        status: 404,
        code: 'attachments.not_found',
      })
    }
  })

  test('returns 403 to callers without the permission to read attachments', async () => {
    const { id } = await attach(bench.clerk)
    expect(await refusalOf(await ask(bench.outsider, id, route))).toEqual({
      status: 403,
      code: 'permission.denied',
      context: { permission: 'system.attachments.read' },
    })
  })
})
