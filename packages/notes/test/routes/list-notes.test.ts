import { newId } from '@vertical-kit/core-audit'
import { recordStatements } from '@vertical-kit/core-audit/testing'
import { type Note, NotePage } from '@vertical-kit/notes/contract'
import { parse } from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allPermissions,
  expectJson,
  type NotesHost,
  openNotesHost,
  refusalOf,
  targetParameters,
  write,
} from '../harness.ts'
import { newReference } from '../parents.ts'

const statements = recordStatements()
let host: NotesHost
let clerk: Awaited<ReturnType<NotesHost['as']>>
let reader: Awaited<ReturnType<NotesHost['as']>>
beforeAll(async () => {
  host = await openNotesHost({ observe: statements.observe })
  clerk = await host.as({ subject: 'clerk', name: 'Clara Clerk', permissions: allPermissions })
  reader = await host.as({ subject: 'reader', permissions: ['system.notes.read'] })
})
afterAll(() => host.close())

const list = (query: string) => reader('GET', `/api/notes?${query}`)

test('GET /api/notes returns complete notes, newest first', async () => {
  const target = await host.addParent()
  const older = await write(clerk, target, 'Older')
  const newer = await write(clerk, target, 'Newer')
  const response = await list(targetParameters(target))
  const page = await expectJson<NotePage>(response, 200)
  expect(page).toEqual({ items: [newer, older], nextCursor: null })
  expect(parse(NotePage, page)).toEqual(page)
  expect(response.headers.get('cache-control')).toBe('no-store')
})

test('GET /api/notes returns an empty page for an object without notes', async () => {
  const target = await host.addParent()
  expect(await (await list(targetParameters(target))).json()).toEqual({ items: [], nextCursor: null })
})

test('GET /api/notes does not return deleted notes', async () => {
  const target = await host.addParent()
  const kept = await write(clerk, target, 'Kept')
  const gone = await write(clerk, target, 'Gone')
  expect((await clerk('DELETE', `/api/notes/${gone.id}?version=1`)).status).toBe(200)
  expect(await (await list(targetParameters(target))).json()).toEqual({ items: [kept], nextCursor: null })
})

test('GET /api/notes ignores unknown parameters and accepts an object id in upper case', async () => {
  const target = await host.addParent()
  const note = await write(clerk, target)
  const upper = targetParameters({ ...target, id: target.id.toUpperCase() })
  const page = await expectJson<NotePage>(await list(`${upper}&version=1&deleted=true&offset=5`), 200)
  expect(page.items).toEqual([note])
})

describe('the pages of GET /api/notes', () => {
  test('contain 50 notes by default, and the cursor returns the next page', async () => {
    const target = await host.addParent()
    const written: Note[] = []
    for (let n = 1; n <= 52; n += 1) written.unshift(await write(clerk, target, `Note ${n}`))
    const first = await expectJson<NotePage>(await list(targetParameters(target)), 200)
    expect(first).toEqual({ items: written.slice(0, 50), nextCursor: written[49]?.id })
    const next = `${targetParameters(target)}&cursor=${first.nextCursor?.toUpperCase()}`
    expect(await (await list(next)).json()).toEqual({ items: written.slice(50), nextCursor: null })
    const one = await expectJson<NotePage>(await list(`${targetParameters(target)}&limit=1`), 200)
    expect(one).toEqual({ items: written.slice(0, 1), nextCursor: written[0]?.id })
    const all = await expectJson<NotePage>(await list(`${targetParameters(target)}&limit=100`), 200)
    expect(all).toEqual({ items: written, nextCursor: null })
  })

  test('can start at the id of a note on a different object', async () => {
    const target = await host.addParent()
    const note = await write(clerk, target)
    const later = await write(clerk, await host.addParent())
    const page = await list(`${targetParameters(target)}&cursor=${later.id}`)
    expect(await page.json()).toEqual({ items: [note], nextCursor: null })
  })
})

describe('with an invalid query, GET /api/notes', () => {
  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1e1', 'limit'],
    ['cursor=abc', 'cursor'],
    ['cursor=%00', 'cursor'],
    [`cursor={${newId()}}`, 'cursor'],
  ])('returns 400 for the parameter %s', async (parameter, path) => {
    const refusal = await refusalOf(await list(`${targetParameters(newReference())}&${parameter}`))
    expect(refusal).toMatchObject({ status: 400, code: 'request.invalid', errors: [{ path }] })
  })

  test('reports all missing parts of the target together', async () => {
    expect(await refusalOf(await list(''))).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [
        { path: 'kind', message: 'is required' },
        { path: 'typeCode', message: 'is required' },
        { path: 'objectId', message: 'is required' },
      ],
    })
  })

  test('rejects a malformed object id', async () => {
    const query = 'kind=Document&typeCode=trade.sales_invoice&objectId=1'
    expect(await refusalOf(await list(query))).toMatchObject({
      code: 'request.invalid',
      errors: [{ path: 'objectId', message: 'expected a UUID' }],
    })
  })
})

describe('with an unsupported target, GET /api/notes', () => {
  test.each([
    ['an unknown kind', 'Register', 'trade.sales_invoice'],
    ['a kind in wrong casing', 'document', 'trade.sales_invoice'],
    ['an unknown type code', 'Document', 'trade.unknown'],
    ['a type code in camel case', 'Document', 'SalesInvoice'],
    ['a document type and the kind CatalogItem', 'CatalogItem', 'trade.sales_invoice'],
    ['the type code of journal entries and the kind Document', 'Document', 'general_journal_entry'],
    ['a document type and the kind GeneralJournalEntry', 'GeneralJournalEntry', 'trade.sales_invoice'],
    ['U+0000 in the type code', 'Document', 'trade%00'],
  ])('returns 400 business_object.unsupported for %s', async (_what, kind, typeCode) => {
    const refusal = await refusalOf(await list(`kind=${kind}&typeCode=${typeCode}&objectId=${newId()}`))
    expect(refusal).toMatchObject({ status: 400, code: 'business_object.unsupported' })
  })
})

test('business objects of every kind can have notes', async () => {
  for (const [kind, typeCode] of [
    ['Document', 'trade.sales_invoice'],
    ['CatalogItem', 'trade.customer'],
    ['GeneralJournalEntry', 'general_journal_entry'],
  ] as const) {
    const target = await host.addParent(newReference(kind, typeCode))
    const note = await write(clerk, target)
    expect(await (await list(targetParameters(target))).json()).toMatchObject({ items: [note] })
  }
})

test('GET /api/notes returns 404 if the business object does not exist', async () => {
  const response = await list(targetParameters(newReference()))
  expect(await refusalOf(response)).toMatchObject({ status: 404, code: 'business_object.not_found' })
})

test('GET /api/notes returns 403 with the missing permission, even if the query is invalid', async () => {
  const writer = await host.as({
    subject: 'writer',
    permissions: allPermissions.filter((name) => !name.endsWith('.read')),
  })
  expect(await refusalOf(await writer('GET', '/api/notes?limit=0'))).toMatchObject({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.notes.read' },
  })
})

test('GET /api/notes returns 401 if the request has no token', async () => {
  const response = await host.app.request(`/api/notes?${targetParameters(newReference())}`)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'auth.required' })
})

test('GET /api/notes sends two statements for any limit, in addition to the query for the permissions', async () => {
  const target = await host.addParent()
  for (const limit of [1, 100]) {
    await write(clerk, target)
    statements.reset()
    expect((await list(`${targetParameters(target)}&limit=${limit}`)).status).toBe(200)
    expect(statements.count).toBe(2)
  }
})
