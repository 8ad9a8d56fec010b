import { deactivateUser, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { DocumentReference } from '@vertical-kit/document-actions'
import { EditorState } from '@vertical-kit/document-actions/contract'
import { parse } from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  allBut,
  allPermissions,
  executed,
  expectJson,
  openShopHost,
  refusalOf,
  type ShopHost,
} from '../harness.ts'
import { everyRow } from '../rows.ts'

let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost()
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
})
afterAll(() => host.close())

const pathOf = ({ typeCode, id }: DocumentReference) => `/api/documents/${typeCode}/${id}/editor-state`

const ask = async (request: TestRequest, document: DocumentReference) =>
  expectJson<EditorState>(await request('GET', pathOf(document)), 200)

/** Returns the reason codes of each action. Allowed actions have none. */
const reasonsIn = ({ actions }: Pick<EditorState, 'actions'>) =>
  Object.fromEntries(actions.map((action) => [action.code, action.disabledReasons.map(({ code }) => code)]))

test('200: the answer contains the document, its version and its sorted actions', async () => {
  const { version, ...invoice } = await host.addDocument('shop.invoice', { amount: '10.00' })
  const response = await clerk('GET', pathOf(invoice))
  expect(response.headers.get('cache-control')).toBe('no-store')
  const state = await expectJson<EditorState>(response, 200)
  expect(Object.keys(state)).toEqual(['document', 'documentVersion', 'actions'])
  expect(state).toMatchObject({ document: invoice, documentVersion: version })
  expect(Object.keys(state.document)).not.toContain('version')
  expect(parse(EditorState, state)).toEqual(state)
  expect(state.actions.map(({ code, order }) => [order, code])).toEqual([
    [10, 'post'],
    [20, 'unpost'],
    [30, 'repost'],
    [110, 'shop.write_off'],
    [120, 'shop.rename'],
    [130, 'shop.open_customer'],
    [900, 'mark_for_deletion'],
    [910, 'unmark_for_deletion'],
  ])
})

test('an action has every property of the contract, with null for absent properties', async () => {
  const { actions } = await ask(clerk, await host.addDocument('shop.invoice', { customerId: 'c-7' }))
  const action = (code: string) => actions.find((one) => one.code === code)
  expect(action('shop.write_off')).toEqual({
    code: 'shop.write_off',
    label: 'Write off',
    description: 'Writes off the open amount.',
    icon: 'write-off',
    kind: 'Dangerous',
    executionKind: 'Command',
    order: 110,
    confirmation: {
      mode: 'RequireReason',
      title: 'Write this invoice off?',
      message: 'The open amount is written off.',
      confirmLabel: 'Write off',
    },
    target: null,
    isAllowed: false,
    disabledReasons: [
      {
        code: 'shop.not_posted',
        message: 'Not posted.',
        remedy: { actionCode: 'post', message: 'Post it first.' },
      },
      { code: 'shop.settled', message: 'No open amount.', remedy: null },
    ],
  })
  expect(action('shop.open_customer')).toMatchObject({
    executionKind: 'Navigation',
    confirmation: null,
    target: { code: 'shop.customer', parameters: { customerId: 'c-7' } },
    isAllowed: true,
    disabledReasons: [],
  })
})

test('an action is allowed if and only if it has no disabled reasons', async () => {
  const { actions } = await ask(clerk, await host.addDocument())
  for (const action of actions) expect(action.isAllowed).toBe(action.disabledReasons.length === 0)
  expect(new Set(actions.map(({ isAllowed }) => isAllowed)).size).toBe(2)
})

test('reasons depend on the status of the document and on the facts of its type', async () => {
  const invoice = await host.addDocument()
  expect(reasonsIn(await ask(clerk, invoice))).toEqual({
    post: [],
    unpost: ['document.not_posted'],
    repost: ['document.not_posted'],
    'shop.write_off': ['shop.not_posted', 'shop.settled'],
    'shop.rename': [],
    'shop.open_customer': [],
    mark_for_deletion: [],
    unmark_for_deletion: ['document.not_marked_for_deletion'],
  })
  await executed(clerk, invoice, 'post')
  const posted = await ask(clerk, invoice)
  expect(posted).toMatchObject({ documentVersion: 2, document: { status: 'Posted' } })
  expect(reasonsIn(posted)).toEqual({
    post: ['document.already_posted'],
    unpost: [],
    repost: [],
    'shop.write_off': [],
    'shop.rename': [],
    'shop.open_customer': [],
    mark_for_deletion: ['document.posted'],
    unmark_for_deletion: ['document.not_marked_for_deletion'],
  })
})

test('an order allows the derivation of only one invoice', async () => {
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  expect(reasonsIn(await ask(clerk, order))['shop.create_invoice']).toEqual([])
  await executed(clerk, order, 'shop.create_invoice', { expectedVersion: 2 })
  expect(reasonsIn(await ask(clerk, order))['shop.create_invoice']).toEqual(['shop.invoiced'])
})

test.each([
  ['post', ['post']],
  ['write_off', ['shop.write_off']],
  ['open_customer', ['shop.open_customer']],
  ['mark_for_deletion', ['mark_for_deletion', 'unmark_for_deletion']],
])('without the permission %s, the actions %j are absent', async (permission, absent) => {
  const invoice = await host.addDocument()
  const other = await host.as({ subject: `without-${permission}`, permissions: allBut(permission) })
  const all = await ask(clerk, invoice)
  expect((await ask(other, invoice)).actions).toEqual(
    all.actions.filter(({ code }) => !absent.includes(code)),
  )
})

test('a derivation is absent without the create permission of its target', async () => {
  const order = await host.addDocument('shop.order')
  const without = (permission: string) => allPermissions.filter((one) => one !== permission)
  const codesFor = async (subject: string, permissions: readonly string[]) =>
    (await ask(await host.as({ subject, permissions }), order)).actions.map(({ code }) => code)
  const target = without('document.shop.invoice.create')
  expect(await codesFor('no-invoices', target)).not.toContain('shop.create_invoice')
  expect(await codesFor('no-orders', without('document.shop.order.create'))).toContain('shop.create_invoice')
})

test('a caller with only the view permission sees the document without actions', async () => {
  const { version, ...invoice } = await host.addDocument()
  const viewer = await host.as({ subject: 'viewer', permissions: ['document.shop.invoice.view'] })
  expect(await ask(viewer, invoice)).toEqual({ document: invoice, documentVersion: version, actions: [] })
})

test('an administrator sees all actions, and reading the editor state writes nothing', async () => {
  const administrator = await host.as({ subject: 'root', roles: ['platform-admin'] })
  const invoice = await host.addDocument()
  // The first request creates the user record.
  await ask(administrator, invoice)
  const before = await everyRow(host.database)
  expect(await ask(administrator, invoice)).toEqual(await ask(clerk, invoice))
  expect(await everyRow(host.database)).toEqual(before)
})

test('ids are case-insensitive', async () => {
  const invoice = await host.addDocument()
  expect(await ask(clerk, { ...invoice, id: invoice.id.toUpperCase() })).toEqual(await ask(clerk, invoice))
})

test('a request without a token receives 401, and a deactivated account receives 403', async () => {
  const invoice = await host.addDocument()
  const anonymous = await host.app.request(pathOf(invoice))
  expect(await refusalOf(anonymous)).toMatchObject({ status: 401, code: 'auth.required' })
  const former = await host.as({ subject: 'former', permissions: allPermissions })
  await host.database.statement((tx) => deactivateUser(tx, 'former'))
  const response = await former('GET', pathOf(invoice))
  expect(await refusalOf(response)).toMatchObject({ status: 403, code: 'auth.inactive' })
})
