import { newId } from '@vertical-kit/core-audit'
import { recordStatements, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { ActionRoles } from '@vertical-kit/document-actions/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, expectJson, openShopHost, refusalOf, type ShopHost } from '../harness.ts'

const statements = recordStatements()
const view = 'document.shop.invoice.view'
const post = 'document.shop.invoice.post'

let host: ShopHost
let manager: TestRequest
beforeAll(async () => {
  host = await openShopHost({ observe: statements.observe })
  manager = await host.as({ subject: 'manager', permissions: ['system.roles.view', view] })
  await addRole('shop-clerk', [view, post, 'document.shop.order.view'])
  await addRole('shop-poster', [post])
  await addRole('shop-retired', [view, post], false)
})
afterAll(() => host.close())

const addRole = (code: string, permissions: readonly string[], isActive = true) =>
  host.database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.roles (id, code, name, permissions, is_active)
      values (${newId()}::uuid, ${code}, ${`The ${code}`}, ${sql.param(permissions)}::text[], ${isActive}::boolean)`),
  )

async function who(request: TestRequest, actionCode: string, fields = {}): Promise<Response> {
  const { id } = await host.addDocument('shop.invoice', fields)
  return request('GET', `/api/documents/shop.invoice/${id}/actions/${actionCode}/who`)
}

const shopRoles = ({ roles }: ActionRoles) => roles.filter(({ code }) => code.startsWith('shop-'))

test('lists the active roles that may view the document and execute the action', async () => {
  const answer = await expectJson<ActionRoles>(await who(manager, 'post'), 200)
  expect(shopRoles(answer)).toEqual([{ code: 'shop-clerk', name: 'The shop-clerk' }])
})

test('lists the roles of a derivation by the create permission of its target', async () => {
  const invoicing = ['document.shop.order.view', 'document.shop.invoice.create']
  await addRole('shop-invoicing', invoicing)
  const { id } = await host.addDocument('shop.order')
  const request = await host.as({ subject: newId(), permissions: ['system.roles.view', ...invoicing] })
  const response = await request('GET', `/api/documents/shop.order/${id}/actions/shop.create_invoice/who`)
  expect(shopRoles(await expectJson<ActionRoles>(response, 200))).toMatchObject([{ code: 'shop-invoicing' }])
})

test('needs two statements: the document and the roles', async () => {
  const { id } = await host.addDocument()
  statements.reset()
  await manager('GET', `/api/documents/shop.invoice/${id}/actions/post/who`)
  expect(statements.count).toBe(2)
})

test.each([
  ['a caller who may not view roles', allPermissions, 'post', {}, 403, 'permission.denied'],
  ['a caller who may not view invoices', ['system.roles.view'], 'post', {}, 404, 'documents.not_found'],
  [
    'a hidden document',
    ['system.roles.view', view],
    'post',
    { isSecret: true },
    ...([404, 'documents.not_found'] as const),
  ],
  [
    'an unknown action',
    ['system.roles.view', view],
    'shop.unknown',
    {},
    ...([404, 'document_action.not_found'] as const),
  ],
])('is refused for %s', async (_who, permissions, actionCode, fields, status, code) => {
  const request = await host.as({ subject: newId(), permissions })
  expect(await refusalOf(await who(request, actionCode, fields))).toMatchObject({ status, code })
})
