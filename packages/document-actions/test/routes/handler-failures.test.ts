import { newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { aType, make } from '../definitions.ts'
import { execute, executed, openShopHost, refusalOf, type ShopHost } from '../harness.ts'
import { everyRow } from '../rows.ts'
import { addDocument, enter, ShopError, shopTypes } from '../shop.ts'

/** What happens to the next handler, once it has written something; nothing unless a test says so. */
let misfortune: (tx: Tx) => Promise<unknown> = async () => {}
afterEach(() => {
  misfortune = async () => {}
})

/** Makes an invoice out of a thing; `misfortune` may answer another document in its place. */
const deriving = make.derivation({
  code: 'shop.derive',
  label: 'Derive',
  description: 'Makes an invoice.',
  icon: 'invoice',
  kind: 'Primary',
  order: 1,
  targetTypeCode: 'shop.invoice',
  async derive(tx) {
    const created = await addDocument(tx)
    return ((await misfortune(tx)) as StoredDocument | undefined) ?? created
  },
})

let host: ShopHost
let administrator: TestRequest
beforeAll(async () => {
  const hooks = {
    async onExecute(tx: Tx, execution: Parameters<typeof enter>[1]) {
      await enter(tx, execution, 1)
      await addDocument(tx)
      await misfortune(tx)
    },
  }
  host = await openShopHost({ types: [...shopTypes(hooks), aType([deriving])] })
  administrator = await host.as({ subject: 'root', roles: ['platform-admin'], permissions: [] })
  await host.database.statement((tx) => tx.execute(sql`select core_audit.register_outbox_consumer('x')`))
})
afterAll(() => host.close())

const requestId = () => `request-${newId()}`

/** Asks for an action under a request id of its own. */
const ask = (
  { typeCode, id }: StoredDocument,
  action: string,
  { key, request }: { key: string; request: string },
) =>
  administrator('POST', `/api/documents/${typeCode}/${id}/actions/${action}`, {
    headers: { 'Idempotency-Key': key, 'X-Request-Id': request },
    body: { expectedVersion: 1 },
  })

/** The lines of errors that a request has left in the log. */
const errorLinesOf = (request: string) =>
  host.logLines
    .map(
      (line) =>
        JSON.parse(line) as { level: string; requestId?: string; code?: string; err?: { message: string } },
    )
    .filter((line) => line.requestId === request && line.level === 'error')

const actions = [
  ['a command', 'shop.invoice', 'post'],
  ['a derivation', 'shop.thing', 'shop.derive'],
] as const

/** Fails, keeps nothing, and leaves the key as it was; answers the response and its request id. */
async function failingWith(typeCode: string, action: string, happens: typeof misfortune) {
  const document = await host.addDocument(typeCode)
  const [key, request] = [newId(), requestId()]
  const before = await everyRow(host.database)
  misfortune = happens
  const response = await ask(document, action, { key, request })
  expect(await everyRow(host.database)).toEqual(before)

  misfortune = async () => {}
  const again = await ask(document, action, { key, request: requestId() })
  expect(again.status).toBe(200)
  expect(again.headers.has('Idempotent-Replayed')).toBe(false)
  return { response, request }
}

/** That the response is a 500 which says nothing, and the log tells once what happened. */
async function expectFault({ response, request }: { response: Response; request: string }, message: RegExp) {
  expect(await refusalOf(response)).toEqual({
    type: 'urn:vertical-kit:problem:internal',
    title: 'Internal Server Error',
    status: 500,
    detail: 'Something went wrong. Include the request id when you report this.',
    code: 'internal',
  })
  const lines = errorLinesOf(request)
  expect(lines).toMatchObject([{ code: 'internal' }])
  expect(JSON.stringify(lines)).toMatch(message)
}

describe.each(actions)('%s', (_what, typeCode, action) => {
  test('that refuses is answered with its refusal, and keeps nothing', async () => {
    const context = { opensAt: '08:00' }
    const { response, request } = await failingWith(typeCode, action, async () => {
      throw new ShopError('shop.closed', { context })
    })
    expect(await refusalOf(response)).toMatchObject({ status: 409, code: 'shop.closed', context })
    expect(errorLinesOf(request)).toEqual([])
  })

  test('that throws is a 500 without detail, logged once, and keeps nothing', async () => {
    const failed = await failingWith(typeCode, action, async () => {
      throw new Error('canary of the handler')
    })
    await expectFault(failed, /canary of the handler/)
  })

  test('that the database refuses is a 500 without detail, logged once, and keeps nothing', async () => {
    const failed = await failingWith(typeCode, action, (tx) => tx.execute(sql`select 1 / 0`))
    await expectFault(failed, /22012/)
  })

  test('whose database error it swallows keeps nothing all the same', async () => {
    const { response } = await failingWith(typeCode, action, async (tx) => {
      await tx.execute(sql`select 1 / 0`).catch(() => {})
    })
    expect(response.status).toBe(500)
  })

  test('that throws what is no error is a 500, and keeps nothing', async () => {
    const { response } = await failingWith(typeCode, action, () => Promise.reject('a text'))
    expect(response.status).toBe(500)
  })
})

test('a derivation that made a document of another type is a fault, and keeps nothing', async () => {
  const failed = await failingWith('shop.thing', 'shop.derive', (tx) => addDocument(tx, 'shop.order'))
  await expectFault(failed, /shop.derive created a shop.order instead of a shop.invoice/)
})

test('a derivation that answers a document that was derived before is a fault, and keeps nothing', async () => {
  const { createdDocument } = await executed(
    administrator,
    await host.addDocument('shop.thing'),
    'shop.derive',
  )
  const failed = await failingWith('shop.thing', 'shop.derive', async () => createdDocument)
  await expectFault(failed, /derivations_created_key/)
})

test('of a failure nothing of the message is answered', async () => {
  misfortune = async () => {
    throw new Error('canary of the handler')
  }
  const response = await execute(administrator, await host.addDocument(), 'post')
  expect(await response.text()).not.toMatch(/canary|handler|stack|at /)
})
