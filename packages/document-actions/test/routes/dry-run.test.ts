import { newId } from '@vertical-kit/core-audit'
import { onWake, type TestRequest } from '@vertical-kit/core-audit/testing'
import type { StoredDocument } from '@vertical-kit/document-actions'
import type { DryRunResult, EditorState, Effects } from '@vertical-kit/document-actions/contract'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allBut,
  allPermissions,
  dryRun,
  execute,
  executed,
  expectJson,
  openShopHost,
  refusalOf,
  type ShopHost,
} from '../harness.ts'
import { everyRow } from '../rows.ts'

let wakeCount = 0
let committedCount = 0
let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost({
    hooks: {
      async onExecute(tx) {
        tx.afterCommit(() => {
          committedCount += 1
        })
        await tx.execute(sql`select pg_notify('shop', 'executed')`)
      },
    },
  })
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
  onWake(host.outbox, () => {
    wakeCount += 1
  })
})
afterAll(() => host.close())

const pathOf = ({ typeCode, id }: StoredDocument) => `/api/documents/${typeCode}/${id}`
const read = async <T>(document: StoredDocument, what: string): Promise<T> =>
  expectJson<T>(await clerk('GET', `${pathOf(document)}/${what}`), 200)
const dryRunOf = async (...call: Parameters<typeof dryRun>): Promise<DryRunResult> =>
  expectJson<DryRunResult>(await dryRun(...call), 200)

/** All rows, the transaction that wrote each document, and all sequences except those that the handlers' inserts use. */
async function everything() {
  const versions = host.database.read((db) =>
    db.execute(sql`select id, xmin::text from document_actions.documents order by id`),
  )
  const sequences = host.database.read((db) =>
    db.execute(sql`
      select schemaname, sequencename, last_value
      from pg_catalog.pg_sequences
      where sequencename <> 'entries_id_seq'
      order by schemaname, sequencename`),
  )
  return { rows: await everyRow(host.database), versions: await versions, sequences: await sequences }
}

/** Expects that `work` changes nothing in the database, and calls neither the outbox nor functions after a commit. */
async function changesNothing<T>(work: () => Promise<T>): Promise<T> {
  const before = { ...(await everything()), wakeCount, committedCount }
  const result = await work()
  expect({ ...(await everything()), wakeCount, committedCount }).toEqual(before)
  return result
}

async function posted(typeCode?: string): Promise<StoredDocument> {
  const document = await host.addDocument(typeCode)
  await executed(clerk, document, 'post')
  return document
}

test('a dry run shows the state after the action and changes nothing', async () => {
  const invoice = await host.addDocument()
  const shown = await changesNothing(() => dryRunOf(clerk, invoice, 'post'))
  await executed(clerk, invoice, 'post')
  const { document, ...after } = await read<EditorState>(invoice, 'editor-state')
  expect(shown).toEqual({
    ...after,
    document: { ...document, updatedAtUtc: shown.document.updatedAtUtc },
    createdDocument: null,
    effects: await read<Effects>(invoice, 'effects'),
  })
})

test('a dry run of a derivation shows the created document without a number, and draws none', async () => {
  const order = await posted('shop.order')
  const again = () => dryRunOf(clerk, order, 'shop.create_invoice', { expectedVersion: 2 })
  const shown = await changesNothing(again)
  expect(shown.createdDocument).toMatchObject({
    typeCode: 'shop.invoice',
    number: '',
    display: 'Derived',
    status: 'Draft',
  })
  expect(shown.actions.find(({ code }) => code === 'shop.create_invoice')).toMatchObject({
    isAllowed: false,
    disabledReasons: [{ code: 'shop.invoiced' }],
  })
  await changesNothing(again)
  const { createdDocument } = await executed(clerk, order, 'shop.create_invoice', { expectedVersion: 2 })
  expect(createdDocument?.number).toBe('I-1')
})

test('a dry run ignores the key, and the key can be used for an execution', async () => {
  const invoice = await host.addDocument()
  const headers = { 'Idempotency-Key': 'previewed' }
  const body = { expectedVersion: 1 }
  const path = `${pathOf(invoice)}/actions/post`
  const shown = await clerk('POST', `${path}?dryRun=true`, { headers, body })
  expect([shown.status, shown.headers.get('Idempotent-Replayed')]).toEqual([200, null])
  expect((await clerk('POST', `${path}?dryRun=false`, { headers, body })).status).toBe(200)
  const replay = await clerk('POST', `${path}?dryRun=`, { headers, body })
  expect(replay.headers.get('Idempotent-Replayed')).toBe('true')
})

test('a dry run does not update the record of a user whose name has changed', async () => {
  const subject = newId()
  await host.as({ subject, name: 'Clara Old', permissions: allPermissions })
  const renamed = await host.as({ subject, name: 'Clara New' })
  const invoice = await host.addDocument()
  expect((await changesNothing(() => dryRun(renamed, invoice, 'post'))).status).toBe(200)
})

test('the older paths also accept dryRun', async () => {
  const invoice = await host.addDocument()
  const path = `${pathOf(invoice)}/post?dryRun=true`
  const response = await changesNothing(() => clerk('POST', path, { body: { expectedVersion: 1 } }))
  expect(await expectJson<DryRunResult>(response, 200)).toMatchObject({ document: { status: 'Posted' } })
})

test.each(['1', 'TRUE', 'yes', '&dryRun=true', 'false&dryRun=true', 'true&dryRun='])(
  'another value of dryRun is refused and executes nothing: %s',
  async (value) => {
    const invoice = await host.addDocument()
    const headers = { 'Idempotency-Key': newId() }
    const path = `${pathOf(invoice)}/actions/post?dryRun=${value}`
    const response = await changesNothing(() =>
      clerk('POST', path, { headers, body: { expectedVersion: 1 } }),
    )
    expect(await refusalOf(response)).toMatchObject({ status: 400, errors: [{ path: 'dryRun' }] })
  },
)

describe('a dry run is refused like the action', () => {
  const cases = [
    ['an action without permission', allBut('write_off'), 'shop.write_off', { reason: 'Lost' }],
    ['a document of a hidden type', allBut('view'), 'post', {}],
    ['an unknown action', allPermissions, 'shop.unknown', {}],
    ['an action that only opens a page', allPermissions, 'shop.open_customer', {}],
    ['an outdated version', allPermissions, 'post', { expectedVersion: 7 }],
    ['an unavailable action', allPermissions, 'unpost', {}],
    ['a missing reason', allPermissions, 'shop.write_off', {}],
    ['an invalid payload', allPermissions, 'shop.rename', { payload: { titel: 'A' } }],
    ['half a character in an ignored payload', allPermissions, 'post', { payload: { note: '\ud800' } }],
  ] as const

  test.each(cases)('%s', async (name, permissions, actionCode, input) => {
    const caller = await host.as({ subject: name, permissions })
    const invoice = await host.addDocument()
    const refusal = await changesNothing(async () =>
      refusalOf(await dryRun(caller, invoice, actionCode, input)),
    )
    expect(refusal).toEqual(await refusalOf(await execute(caller, invoice, actionCode, input)))
  })

  test('a hidden document', async () => {
    const invoice = await host.addDocument('shop.invoice', { isSecret: true })
    const refusal = await changesNothing(async () => refusalOf(await dryRun(clerk, invoice, 'post')))
    expect(refusal).toMatchObject({ status: 404, code: 'documents.not_found' })
  })
})
