import { newId } from '@vertical-kit/core-audit'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { type SQL, sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { aCommand, aType } from '../definitions.ts'
import { allPermissions, execute, executed, openShopHost, type ShopHost } from '../harness.ts'
import { answerOf } from './answers.ts'
import { effectsOf } from './effects.ts'

let host: ShopHost
beforeAll(async () => {
  host = await openShopHost()
})
afterAll(() => host.close())

/** The subject and the document of a waiting request. */
interface Waiting {
  readonly subject: string
  readonly id: string
}

/** A change during the wait of a request, and its reversal. */
interface Interruption {
  readonly happens: (waiting: Waiting) => SQL
  readonly undone: (waiting: Waiting) => SQL
}

/** Changes the roles of a user. */
const rolesOf = ({ subject }: Waiting, change: SQL): SQL => sql`
  update core_audit.roles
  set ${change}
  where id in (
    select r.role_id
    from core_audit.user_roles r
    join core_audit.users u on u.id = r.user_id
    where u.subject = ${subject}
  )`
const permissionLost = (permission: string): Interruption => ({
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

/** Both changes, in one statement. */
const together = (one: Interruption, other: Interruption): Interruption => ({
  happens: (waiting) => sql`with one as (${one.happens(waiting)}) ${other.happens(waiting)}`,
  undone: (waiting) => sql`with one as (${one.undone(waiting)}) ${other.undone(waiting)}`,
})

const roleSwitchedOff: Interruption = {
  happens: (waiting) => rolesOf(waiting, sql`is_active = false`),
  undone: (waiting) => rolesOf(waiting, sql`is_active = true`),
}
const userDeactivated: Interruption = {
  happens: (waiting) => setActive(waiting, false),
  undone: (waiting) => setActive(waiting, true),
}
const hidden: Interruption = {
  happens: (waiting) => setSecret(waiting, true),
  undone: (waiting) => setSecret(waiting, false),
}
const posted: Interruption = {
  happens: (waiting) => setStatus(waiting, 'Posted'),
  undone: (waiting) => setStatus(waiting, 'Draft'),
}
const changed: Interruption = {
  happens: (waiting) => addVersions(waiting, 1),
  undone: (waiting) => addVersions(waiting, -1),
}

const forbidden = { status: 403, code: 'document_action.forbidden' }
const notFound = { status: 404, code: 'documents.not_found' }
const inactive = { status: 403, code: 'auth.inactive' }
const unavailable = { status: 409, code: 'document_action.unavailable' }
const conflict = { status: 409, code: 'documents.version_conflict' }

/** Creates an invoice to post, or a posted order for deriving an invoice. */
async function prepare(subject: string, actionCode: string) {
  const clerk = await host.as({ subject, permissions: allPermissions })
  if (actionCode === 'post') return { clerk, document: await host.addDocument() }
  const order = await host.addDocument('shop.order')
  await executed(clerk, order, 'post')
  return { clerk, document: order }
}

test.each([
  ['post', 'the caller loses the permission', permissionLost('document.shop.invoice.post'), forbidden],
  ['post', 'the caller loses the view permission', permissionLost('document.shop.invoice.view'), notFound],
  ['post', 'the role is deactivated', roleSwitchedOff, notFound],
  ['post', 'the user is deactivated', userDeactivated, inactive],
  ['post', 'the document is hidden', hidden, notFound],
  ['post', 'the document is posted', posted, unavailable],
  ['post', 'the document changes', changed, conflict],
  [
    'post',
    'the caller loses the permission and the document is posted',
    together(permissionLost('document.shop.invoice.post'), posted),
    forbidden,
  ],
  [
    'shop.create_invoice',
    'the caller loses the create permission',
    permissionLost('document.shop.invoice.create'),
    forbidden,
  ],
  ['shop.create_invoice', 'the user is deactivated', userDeactivated, inactive],
])('a waiting %s fails if %s, and a retry succeeds after the change is reversed', async (...row) => {
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

/** The name of a lock that the handler of the action waits for. */
const lock = sql`select pg_advisory_xact_lock(hashtextextended('another row', 0))`
const waitingType = aType([
  aCommand({
    async handle(tx) {
      await tx.execute(lock)
    },
  }),
])

test.each([
  ['the caller loses the permission', permissionLost('document.shop.thing.do'), forbidden],
  ['the user is deactivated', userDeactivated, inactive],
  ['the role is deactivated', roleSwitchedOff, notFound],
])('an action fails if %s while its handler waits for another row', async (_case, { happens }, refusal) => {
  const shop = await openShopHost({ types: [waitingType] })
  onTestFinished(() => shop.close())
  const subject = newId()
  const permissions = ['document.shop.thing.view', 'document.shop.thing.do']
  const clerk = await shop.as({ subject, permissions })
  const document = await shop.addDocument('shop.thing')
  const before = await effectsOf(shop.database, document)
  const held = await holdTransaction(shop.database, (tx) => tx.execute(lock))
  const answer = execute(clerk, document, 'shop.do')
  await untilBlocked(shop.database)
  await shop.database.statement((tx) => tx.execute(happens({ subject, id: document.id })))
  await held.commit()
  expect(await answerOf(await answer)).toMatchObject(refusal)
  expect(await effectsOf(shop.database, document)).toEqual(before)
})

test('a waiting post fails if the document is deleted, and a later request can use its key', async () => {
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
