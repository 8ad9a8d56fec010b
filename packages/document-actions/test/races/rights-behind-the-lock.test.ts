import { newId } from '@vertical-kit/core-audit'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, type ShopHost } from '../harness.ts'
import { answerOf } from './answers.ts'
import { effectsOf } from './effects.ts'

let host: ShopHost
beforeAll(async () => {
  host = await openShopHost()
})
afterAll(() => host.close())

/** Who waits, and for what. */
interface Waiting {
  readonly subject: string
  readonly id: string
}

/** Something that happens while a request waits for its document, and what undoes it. */
interface Meanwhile {
  readonly happens: (waiting: Waiting) => SQL
  readonly undone: (waiting: Waiting) => SQL
}

/** Changes the roles a user has. */
const rolesOf = ({ subject }: Waiting, change: SQL): SQL => sql`
  update core_audit.roles
  set ${change}
  where id in (
    select r.role_id
    from core_audit.user_roles r
    join core_audit.users u on u.id = r.user_id
    where u.subject = ${subject}
  )`
const permissionLost = (permission: string): Meanwhile => ({
  happens: (waiting) => rolesOf(waiting, sql`permissions = array_remove(permissions, ${permission})`),
  undone: (waiting) => rolesOf(waiting, sql`permissions = array_append(permissions, ${permission})`),
})
const setActive = ({ subject }: Waiting, isActive: boolean): SQL =>
  sql`update core_audit.users set is_active = ${isActive}::boolean where subject = ${subject}`
const setSecret = ({ id }: Waiting, isSecret: boolean): SQL => sql`
  update document_actions.documents
  set payload = jsonb_set(payload, '{fields,isSecret}', to_jsonb(${isSecret}::boolean))
  where id = ${id}::uuid`
const setStatus = ({ id }: Waiting, status: string): SQL =>
  sql`update document_actions.documents set status = ${status} where id = ${id}::uuid`
const addVersions = ({ id }: Waiting, count: number): SQL => sql`
  update document_actions.documents
  set version = version + ${count}::int
  where id = ${id}::uuid`

const roleSwitchedOff: Meanwhile = {
  happens: (waiting) => rolesOf(waiting, sql`is_active = false`),
  undone: (waiting) => rolesOf(waiting, sql`is_active = true`),
}
const userDeactivated: Meanwhile = {
  happens: (waiting) => setActive(waiting, false),
  undone: (waiting) => setActive(waiting, true),
}
const hidden: Meanwhile = {
  happens: (waiting) => setSecret(waiting, true),
  undone: (waiting) => setSecret(waiting, false),
}
const posted: Meanwhile = {
  happens: (waiting) => setStatus(waiting, 'Posted'),
  undone: (waiting) => setStatus(waiting, 'Draft'),
}
const changed: Meanwhile = {
  happens: (waiting) => addVersions(waiting, 1),
  undone: (waiting) => addVersions(waiting, -1),
}

const forbidden = { status: 403, code: 'document_action.forbidden' }
const notFound = { status: 404, code: 'documents.not_found' }
const inactive = { status: 403, code: 'auth.inactive' }
const unavailable = { status: 409, code: 'document_action.unavailable' }
const conflict = { status: 409, code: 'documents.version_conflict' }

/** An invoice to post, or a posted order to make an invoice of. */
async function prepare(subject: string, actionCode: string) {
  const clerk = await host.as({ subject, permissions: allPermissions })
  if (actionCode === 'post') return { clerk, document: await host.addDocument() }
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  return { clerk, document: order }
}

test.each([
  ['post', 'the permission for it was lost', permissionLost('document.shop.invoice.post'), forbidden],
  ['post', 'sight of the type was lost', permissionLost('document.shop.invoice.view'), notFound],
  ['post', 'the role was switched off', roleSwitchedOff, notFound],
  ['post', 'its user was deactivated', userDeactivated, inactive],
  ['post', 'the document was hidden', hidden, notFound],
  ['post', 'the document was posted', posted, unavailable],
  ['post', 'the document changed', changed, conflict],
  [
    'shop.create_invoice',
    'invoices may not be made',
    permissionLost('document.shop.invoice.create'),
    forbidden,
  ],
  ['shop.create_invoice', 'its user was deactivated', userDeactivated, inactive],
])('%s that waited is refused when meanwhile %s, and executed when that is undone', async (...row) => {
  const [actionCode, , { happens, undone }, refusal] = row
  const subject = newId()
  const { clerk, document } = await prepare(subject, actionCode)
  const call = { key: newId(), expectedVersion: actionCode === 'post' ? 1 : 2 }
  const before = await effectsOf(host.database, document)
  const waiting = { subject, id: document.id }

  const held = await holdTransaction(host.database, async (tx) => {
    await tx.execute(
      sql`select from document_actions.documents where id = ${document.id}::uuid for no key update`,
    )
    await tx.execute(happens(waiting))
  })
  const answer = execute(clerk, document, actionCode, call)
  await untilBlocked(host.database)
  await held.commit()
  expect(await answerOf(await answer)).toMatchObject(refusal)

  await host.database.statement((tx) => tx.execute(undone(waiting)))
  expect(await effectsOf(host.database, document)).toEqual(before)
  const repeat = await answerOf(await execute(clerk, document, actionCode, call))
  expect(repeat).toMatchObject({ status: 200, isReplay: false })
})

test('post that waited is refused when meanwhile the document was deleted, and its key stays free', async () => {
  const { clerk, document } = await prepare(newId(), 'post')
  const key = newId()
  const held = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`delete from document_actions.documents where id = ${document.id}::uuid`),
  )
  const answer = execute(clerk, document, 'post', { key })
  await untilBlocked(host.database)
  await held.commit()
  expect(await answerOf(await answer)).toMatchObject(notFound)
  expect(await effectsOf(host.database, document)).toBeUndefined()
  const another = await answerOf(await execute(clerk, await host.addDocument(), 'post', { key }))
  expect(another).toMatchObject({ status: 200, isReplay: false })
})
