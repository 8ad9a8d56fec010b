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

/** The failure of the next handler after its first writes. Default: none. */
let failure: (tx: Tx) => Promise<unknown> = async () => {}
afterEach(() => {
  failure = async () => {}
})

/** Derives an invoice from a thing. `failure` can return another document instead. */
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
    return ((await failure(tx)) as StoredDocument | undefined) ?? created
  },
})

let host: ShopHost
let administrator: TestRequest
beforeAll(async () => {
  const hooks = {
    async onExecute(tx: Tx, execution: Parameters<typeof enter>[1]) {
      await enter(tx, execution, 1)
      await addDocument(tx)
      await failure(tx)
    },
  }
  host = await openShopHost({ types: [...shopTypes(hooks), aType([deriving])] })
  administrator = await host.as({ subject: 'root', roles: ['platform-admin'], permissions: [] })
  await host.database.statement((tx) => tx.execute(sql`select core_audit.register_outbox_consumer('x')`))
})
afterAll(() => host.close())

const requestId = () => `request-${newId()}`

/** Requests an action with a new request id. */
const ask = (
  { typeCode, id }: StoredDocument,
  action: string,
  { key, request }: { key: string; request: string },
) =>
  administrator('POST', `/api/documents/${typeCode}/${id}/actions/${action}`, {
    headers: { 'Idempotency-Key': key, 'X-Request-Id': request },
    body: { expectedVersion: 1 },
  })

/** Returns the error lines of a request in the log. */
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

/** Sends a failing request; checks that nothing is kept and the key stays unused. Returns response and request id. */
async function failingWith(typeCode: string, action: string, happens: typeof failure) {
  const document = await host.addDocument(typeCode)
  const [key, request] = [newId(), requestId()]
  const before = await everyRow(host.database)
  failure = happens
  const response = await ask(document, action, { key, request })
  expect(await everyRow(host.database)).toEqual(before)

  failure = async () => {}
  const again = await ask(document, action, { key, request: requestId() })
  expect(again.status).toBe(200)
  expect(again.headers.has('Idempotent-Replayed')).toBe(false)
  return { response, request }
}

/** Checks that the response is a 500 without detail, and that the log contains the error once. */
async function expectFault({ response, request }: { response: Response; request: string }, message: RegExp) {
  expect(await refusalOf(response)).toEqual({
    type: 'urn:vertical-kit:problem:internal',
    title: 'Internal Server Error',
    status: 500,
    detail: 'Something went wrong. Include the request ID when you report this.',
    code: 'internal',
  })
  const lines = errorLinesOf(request)
  expect(lines).toMatchObject([{ code: 'internal' }])
  expect(JSON.stringify(lines)).toMatch(message)
}

describe.each(actions)('%s', (_what, typeCode, action) => {
  test('a refusal is returned to the client, and nothing is stored', async () => {
    const context = { opensAt: '08:00' }
    const { response, request } = await failingWith(typeCode, action, async () => {
      throw new ShopError('shop.closed', { context })
    })
    expect(await refusalOf(response)).toMatchObject({ status: 409, code: 'shop.closed', context })
    expect(errorLinesOf(request)).toEqual([])
  })

  test('an error becomes a 500 without detail and is logged once, and nothing is stored', async () => {
    const failed = await failingWith(typeCode, action, async () => {
      throw new Error('canary of the handler')
    })
    await expectFault(failed, /canary of the handler/)
  })

  test('a database error becomes a 500 without detail and is logged once, and nothing is stored', async () => {
    const failed = await failingWith(typeCode, action, (tx) => tx.execute(sql`select 1 / 0`))
    await expectFault(failed, /22012/)
  })

  test('if the handler ignores a database error, the answer is a 500 and nothing is stored', async () => {
    const { response } = await failingWith(typeCode, action, async (tx) => {
      await tx.execute(sql`select 1 / 0`).catch(() => {})
    })
    expect(response.status).toBe(500)
  })

  test('a thrown value that is not an Error becomes a 500, and nothing is stored', async () => {
    const { response } = await failingWith(typeCode, action, () => Promise.reject('a text'))
    expect(response.status).toBe(500)
  })
})

test('a derivation that returns a document of another type becomes a 500, and nothing is stored', async () => {
  const failed = await failingWith('shop.thing', 'shop.derive', (tx) => addDocument(tx, 'shop.order'))
  await expectFault(failed, /shop.derive created a shop.order instead of a shop.invoice/)
})

test('a derivation that returns an already derived document becomes a 500, and nothing is stored', async () => {
  const { createdDocument } = await executed(
    administrator,
    await host.addDocument('shop.thing'),
    'shop.derive',
  )
  const failed = await failingWith('shop.thing', 'shop.derive', async () => createdDocument)
  await expectFault(failed, /derivations_created_key/)
})

test('the answer never contains the message of an error', async () => {
  failure = async () => {
    throw new Error('canary of the handler')
  }
  const response = await execute(administrator, await host.addDocument(), 'post')
  expect(await response.text()).not.toMatch(/canary|handler|stack|at /)
})
