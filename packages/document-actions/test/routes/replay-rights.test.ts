import { newId } from '@vertical-kit/core-audit'
import { deactivateUser, removePermission, type TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, refusalOf, type ShopHost } from '../harness.ts'
import { everyRow } from '../rows.ts'

let host: ShopHost
beforeAll(async () => {
  host = await openShopHost()
})
afterAll(() => host.close())

/** Creates a user with all permissions. */
async function clerkNamed(subject: string = newId()): Promise<{ subject: string; request: TestRequest }> {
  return { subject, request: await host.as({ subject, permissions: allPermissions }) }
}

const isReplay = (response: Response) => response.headers.get('Idempotent-Replayed') === 'true'

describe('idempotency keys of different users', () => {
  test('another user with an equal request and key receives a version conflict, not the result', async () => {
    const [{ request: first }, { request: second }] = [await clerkNamed(), await clerkNamed()]
    const invoice = await host.addDocument()
    const key = newId()
    await executed(first, invoice, 'post', { key })
    const response = await execute(second, invoice, 'post', { key })
    expect(isReplay(response)).toBe(false)
    expect(await refusalOf(response)).toMatchObject({
      code: 'documents.version_conflict',
      context: { expectedVersion: 1, actualVersion: 2 },
    })
  })

  test('two users with one key have separate executions', async () => {
    const [{ request: first }, { request: second }] = [await clerkNamed(), await clerkNamed()]
    const [one, other] = [await host.addDocument(), await host.addDocument()]
    const key = newId()
    const results = [
      await executed(first, one, 'post', { key }),
      await executed(second, other, 'post', { key }),
    ]
    expect(results.map(({ document }) => document.id)).toEqual([one.id, other.id])
    expect(new Set(results.map(({ executionId }) => executionId)).size).toBe(2)
    expect(await executed(first, one, 'post', { key })).toEqual(results[0])
    expect(await executed(second, other, 'post', { key })).toEqual(results[1])
  })

  test('a user without the permission receives identical errors for used and unused keys', async () => {
    const { request } = await clerkNamed()
    const viewer = await host.as({ subject: newId(), permissions: ['document.shop.invoice.view'] })
    const invoice = await host.addDocument()
    const key = newId()
    await executed(request, invoice, 'post', { key })
    const [used, unused] = [{ key }, { key: newId() }]
    const refusals = [used, unused].map(async (more) =>
      refusalOf(await execute(viewer, invoice, 'post', more)),
    )
    const [one, other] = await Promise.all(refusals)
    expect(one).toMatchObject({ status: 403, code: 'document_action.forbidden' })
    expect(one).toEqual(other)
  })
})

describe('a repeat after permissions were revoked', () => {
  test.each([
    ['unpost', 'unpost'],
    ['post', 'post'],
    ['write_off', 'shop.write_off'],
  ])('omits only the actions of the permission %s', async (permission, absent) => {
    const { subject, request } = await clerkNamed()
    const invoice = await host.addDocument()
    const key = newId()
    const first = await executed(request, invoice, 'post', { key })
    await host.database.statement((tx) =>
      removePermission(tx, subject, `document.shop.invoice.${permission}`),
    )
    const repeat = await execute(request, invoice, 'post', { key })
    expect([repeat.status, isReplay(repeat)]).toEqual([200, true])
    expect(await repeat.json()).toEqual({
      ...first,
      actions: first.actions.filter(({ code }) => code !== absent),
    })
  })

  test('contains an action again after its permission is granted again', async () => {
    const { subject, request } = await clerkNamed()
    const invoice = await host.addDocument()
    const key = newId()
    const first = await executed(request, invoice, 'post', { key })
    await host.database.statement((tx) => removePermission(tx, subject, 'document.shop.invoice.unpost'))
    await host.as({ subject, permissions: ['document.shop.invoice.unpost'] })
    expect(await executed(request, invoice, 'post', { key })).toEqual(first)
  })

  test('contains only actions of the first answer', async () => {
    const subject = newId()
    const some = ['document.shop.invoice.view', 'document.shop.invoice.post']
    const request = await host.as({ subject, permissions: some })
    const invoice = await host.addDocument()
    const key = newId()
    const first = await executed(request, invoice, 'post', { key })
    await host.as({ subject, permissions: allPermissions })
    expect(await executed(request, invoice, 'post', { key })).toEqual(first)
  })

  test('receives 404 without document data after the view permission is revoked', async () => {
    const { subject, request } = await clerkNamed()
    const invoice = await host.addDocument('shop.invoice', { amount: '10.00', canary: 'canary' })
    const key = newId()
    await executed(request, invoice, 'post', { key })
    await host.database.statement((tx) => removePermission(tx, subject, 'document.shop.invoice.view'))
    const repeat = await execute(request, invoice, 'post', { key })
    expect(isReplay(repeat)).toBe(false)
    expect(await repeat.clone().text()).not.toMatch(new RegExp(`canary|${invoice.id}|${invoice.number}`))
    expect(await refusalOf(repeat)).toMatchObject({ status: 404, code: 'documents.not_found' })
  })

  test.each([
    ['hidden', sql`update document_actions.documents set payload = '{"fields": {"isSecret": true}}'`],
    ['deleted', sql`delete from document_actions.documents`],
  ])('receives 404 after the document is %s', async (_what, change) => {
    const { request } = await clerkNamed()
    const invoice = await host.addDocument()
    const key = newId()
    await executed(request, invoice, 'post', { key })
    await host.database.statement((tx) => tx.execute(sql`${change} where id = ${invoice.id}::uuid`))
    const repeat = await execute(request, invoice, 'post', { key })
    expect(isReplay(repeat)).toBe(false)
    expect(await refusalOf(repeat)).toMatchObject({ status: 404, code: 'documents.not_found' })
  })

  test('receives 403 after the account is deactivated', async () => {
    const { subject, request } = await clerkNamed()
    const invoice = await host.addDocument()
    const key = newId()
    await executed(request, invoice, 'post', { key })
    await host.database.statement((tx) => deactivateUser(tx, subject))
    expect(await refusalOf(await execute(request, invoice, 'post', { key }))).toMatchObject({
      status: 403,
      code: 'auth.inactive',
    })
  })
})

describe('the created document of a derivation', () => {
  test.each([
    [['view'], true],
    [['create'], true],
    [['view', 'create'], false],
  ])('is included in a repeat without the permissions %j of its type: %s', async (taken, isShown) => {
    const { subject, request } = await clerkNamed()
    const order = await host.addDocument('shop.order')
    await executed(request, order, 'post')
    const more = { expectedVersion: 2, key: newId() }
    const first = await executed(request, order, 'shop.create_invoice', more)
    for (const action of taken)
      await host.database.statement((tx) => removePermission(tx, subject, `document.shop.invoice.${action}`))
    const before = await everyRow(host.database)
    const repeat = await executed(request, order, 'shop.create_invoice', more)
    expect(repeat.createdDocument).toEqual(isShown ? first.createdDocument : null)
    expect(repeat.document).toEqual(first.document)
    expect(await everyRow(host.database)).toEqual(before)
  })

  test.each([
    [
      'hidden',
      sql`update document_actions.documents set payload = jsonb_set(payload, '{fields,isSecret}', 'true')`,
    ],
    ['deleted', sql`delete from document_actions.documents`],
  ])('is omitted from a repeat after it is %s', async (_what, change) => {
    const { request } = await clerkNamed()
    const order = await host.addDocument('shop.order')
    await executed(request, order, 'post')
    const more = { expectedVersion: 2, key: newId() }
    const first = await executed(request, order, 'shop.create_invoice', more)
    const id = first.createdDocument?.id
    await host.database.statement((tx) => tx.execute(sql`${change} where id = ${id}::uuid`))
    const repeat = await executed(request, order, 'shop.create_invoice', more)
    expect(repeat).toEqual({ ...first, createdDocument: null })
  })
})
