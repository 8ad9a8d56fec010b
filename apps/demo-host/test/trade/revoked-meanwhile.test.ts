import type { Tx } from '@vertical-kit/core-audit/database'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { deactivateUser, removePermission } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { describe, expect, test } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { openTradeHost, salesFields } from './harness.ts'
import { whileOpen } from './while-open.ts'

const host = await openTradeHost()

const customer = {
  path: '/api/catalogs/trade.customer',
  body: { name: 'Acme', fields: {} },
  rights: 'catalog.trade.customer',
  notFound: 'catalogs.not_found',
  lock: (id: string) => sql`select from trade.catalog_items where id = ${id}::uuid for update`,
}
const entries = [{ account: '1000', debit: '1.00', credit: '0.00' }]
const journalEntry = {
  path: '/api/documents/general_journal_entry',
  body: { fields: { entries } },
  rights: 'document.general_journal_entry',
  notFound: 'documents.not_found',
  lock: (id: string) => sql`select from trade.documents where id = ${id}::uuid for update`,
}

const changes = [
  { what: 'an edit of an item', of: customer, method: 'PUT', action: 'edit' },
  { what: 'a deletion of an item', of: customer, method: 'DELETE', action: 'delete' },
  { what: 'an edit of a draft', of: journalEntry, method: 'PUT', action: 'edit' },
  { what: 'a deletion of a draft', of: journalEntry, method: 'DELETE', action: 'delete' },
]

/** Returns all stored rows of an object, including its audit events. */
const stored = (id: string) =>
  host.database.read(async (db) => [
    ...(await db.execute(sql`
      select to_jsonb(i) as row from trade.catalog_items i where id = ${id}::uuid
      union all
      select to_jsonb(d) from trade.documents d where id = ${id}::uuid
      union all
      select to_jsonb(e) from core_audit.audit_events e where target_id = ${id}::uuid`)),
  ])

describe.each(changes)('$what that waits for a lock', ({ what, of, method, action }) => {
  /** Revokes access while the change waits for the lock. Asserts that nothing was written and returns the refusal. */
  async function refusalAfter(
    revocation: (tx: Tx, subject: string) => Promise<unknown>,
    { status, code }: { readonly status: number; readonly code: string },
  ) {
    const subject = `${what}, ${code}`
    const clerk: TestRequest = await host.asRole(subject, 'trade.clerk')
    const { id } = await expectAnswer(clerk('POST', of.path, { body: of.body }), 201)
    const before = await stored(id)
    expect(before).toHaveLength(2)
    const answer = whileOpen(
      host.database,
      (tx) => Promise.all([tx.execute(of.lock(id)), revocation(tx, subject)]),
      () => clerk(method, `${of.path}/${id}`, method === 'PUT' ? { body: of.body } : {}),
    )
    const refusal = await expectAnswer(answer, status, code)
    expect(await stored(id)).toEqual(before)
    return refusal
  }

  test('is refused and writes nothing if the caller was deactivated during the wait', async () => {
    await refusalAfter(deactivateUser, { status: 403, code: 'auth.inactive' })
  })

  test('is refused and writes nothing if the required permission was revoked during the wait', async () => {
    const permission = `${of.rights}.${action}`
    const refusal = await refusalAfter((tx, subject) => removePermission(tx, subject, permission), {
      status: 403,
      code: 'permission.denied',
    })
    expect(refusal['context']).toEqual({ permission })
  })

  test('is refused as not found and writes nothing if the view permission was revoked during the wait', async () => {
    const refusal = await refusalAfter((tx, subject) => removePermission(tx, subject, `${of.rights}.view`), {
      status: 404,
      code: of.notFound,
    })
    expect(refusal['context']).toBeUndefined()
  })
})

test('a deletion is refused as not found if the view and delete permissions were revoked during the wait', async () => {
  const clerk = await host.asRole('loses all', 'trade.clerk')
  const { id } = await expectAnswer(clerk('POST', customer.path, { body: customer.body }), 201)
  const answer = whileOpen(
    host.database,
    (tx) =>
      Promise.all([
        tx.execute(customer.lock(id)),
        ...['view', 'delete'].map((action) =>
          removePermission(tx, 'loses all', `${customer.rights}.${action}`),
        ),
      ]),
    () => clerk('DELETE', `${customer.path}/${id}`),
  )
  await expectAnswer(answer, 404, 'catalogs.not_found')
  expect(await stored(id)).toHaveLength(2)
})

const invoices = '/api/documents/trade.sales_invoice'
const revocations: readonly [
  what: string,
  revoke: (tx: Tx, subject: string) => Promise<unknown>,
  status: number,
  code: string,
][] = [
  ['the account', deactivateUser, 403, 'auth.inactive'],
  [
    'the permission to edit',
    (tx, subject) => removePermission(tx, subject, 'document.trade.sales_invoice.edit'),
    ...([403, 'permission.denied'] as const),
  ],
  [
    'the permission to create',
    (tx, subject) => removePermission(tx, subject, 'document.trade.sales_invoice.create'),
    ...([403, 'permission.denied'] as const),
  ],
  [
    'the permission to view invoices',
    (tx, subject) => removePermission(tx, subject, 'document.trade.sales_invoice.view'),
    ...([404, 'documents.not_found'] as const),
  ],
  [
    'the permission to view the customer',
    (tx, subject) => removePermission(tx, subject, 'catalog.trade.customer.view'),
    ...([400, 'request.invalid'] as const),
  ],
]
const without = (name: string) => revocations.filter(([what]) => what !== name)

const storedDrafts = () =>
  host.database.read(async (db) => [
    ...(await db.execute(sql`
      select id, version, (select count(*) from core_audit.audit_events) as event_count
      from trade.documents
      order by id`)),
  ])

test.each(without('the permission to edit'))(
  'a creation of a draft that waits for its customer is refused if the caller lost %s during the wait',
  async (what, revoke, status, code) => {
    const subject = `creates without ${what}`
    const clerk = await host.asRole(subject, 'trade.clerk')
    const fields = await salesFields(clerk)
    const before = await storedDrafts()
    const answer = whileOpen(
      host.database,
      (tx) => Promise.all([tx.execute(customer.lock(fields.customerId)), revoke(tx, subject)]),
      () => clerk('POST', invoices, { body: { fields } }),
    )
    await expectAnswer(answer, status, code)
    expect(await storedDrafts()).toEqual(before)
  },
)

test.each(without('the permission to create'))(
  'an edit of a draft that waits for its customer is refused if the caller lost %s during the wait',
  async (what, revoke, status, code) => {
    const subject = `edits without ${what}`
    const clerk = await host.asRole(subject, 'trade.clerk')
    const fields = await salesFields(clerk)
    const { id } = await expectAnswer(clerk('POST', invoices, { body: { fields } }), 201)
    const before = await storedDrafts()
    const answer = whileOpen(
      host.database,
      (tx) => Promise.all([tx.execute(customer.lock(fields.customerId)), revoke(tx, subject)]),
      () => clerk('PUT', `${invoices}/${id}`, { body: { fields: { ...fields, dueDate: '2027-02-02' } } }),
    )
    await expectAnswer(answer, status, code)
    expect(await storedDrafts()).toEqual(before)
  },
)

test.each([
  ['a draft', invoices, 'document.trade.sales_invoice', salesFields],
  ['an item', customer.path, customer.rights, async () => ({ name: 'Acme', fields: {} })],
] as const)(
  'a creation of %s that waits for a creation with the same key is refused if the caller lost the permission',
  async (what, path, rights, bodyOf) => {
    const subject = `repeats ${what}`
    const clerk = await host.asRole(subject, 'trade.clerk')
    const values = await bodyOf(clerk)
    const creationKey = crypto.randomUUID()
    const body = 'name' in values ? { ...values, creationKey } : { fields: values, creationKey }
    const first = await expectAnswer(clerk('POST', path, { body }), 201)
    const answer = whileOpen(
      host.database,
      (tx) =>
        Promise.all([
          // A changed key makes the insert wait: it does not know yet whether the change is committed.
          ...['documents', 'catalog_items'].map((table) =>
            tx.execute(sql`
              update trade.${sql.identifier(table)}
              set creation_key = gen_random_uuid()
              where id = ${first.id}::uuid`),
          ),
          removePermission(tx, subject, `${rights}.create`),
        ]),
      () => clerk('POST', path, { body }),
    )
    await expectAnswer(answer, 403, 'permission.denied')
  },
)
