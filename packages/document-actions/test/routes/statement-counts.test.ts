import { recordStatements, type TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCommand, aType } from '../definitions.ts'
import { dryRun, execute, openShopHost, type ShopHost } from '../harness.ts'

/** Returns a type with `actionCount` actions. All of them read the facts of one statement. */
const typeOf = (actionCount: number) =>
  aType(
    Array.from({ length: actionCount }, (_, index) =>
      aCommand({
        code: `shop.do_${index}`,
        order: index,
        disabledReasons: (facts) => (facts as { reasons: [] }).reasons,
      }),
    ),
    {
      typeCode: `shop.with_${actionCount}`,
      async loadFacts(db) {
        await db.execute(sql`select 1`)
        return { reasons: [] }
      },
    },
  )

const statements = recordStatements()

let host: ShopHost
let administrator: TestRequest
beforeAll(async () => {
  const types = [typeOf(3), typeOf(60), aType([aCommand()], { typeCode: 'shop.without_facts' })]
  host = await openShopHost({ types, observe: statements.observe })
  administrator = await host.as({ subject: 'root', roles: ['platform-admin'], permissions: [] })
})
afterAll(() => host.close())

/** Counts the statements of a successful request. */
async function countOf(send: () => Promise<Response>): Promise<number> {
  statements.reset()
  expect((await send()).status).toBe(200)
  return statements.count
}

describe.each([3, 60])('with %i actions', (actionCount) => {
  const add = () => host.addDocument(`shop.with_${actionCount}`)

  test('the editor state needs two statements: the document and the facts', async () => {
    const { typeCode, id } = await add()
    const path = `/api/documents/${typeCode}/${id}/editor-state`
    const { actions } = (await (await administrator('GET', path)).json()) as { actions: readonly unknown[] }
    expect(actions).toHaveLength(actionCount)
    expect(await countOf(() => administrator('GET', path))).toBe(2)
  })

  test('an execution needs eleven statements, two of them for the facts and two for the rights', async () => {
    const document = await add()
    expect(await countOf(() => execute(administrator, document, 'shop.do_1'))).toBe(11)
  })

  test('a dry run needs nine statements, two of them for the facts and two for the rights', async () => {
    const document = await add()
    expect(await countOf(() => dryRun(administrator, document, 'shop.do_1'))).toBe(9)
  })

  test('a replay needs two statements: the document and the answer', async () => {
    const document = await add()
    const send = () => execute(administrator, document, 'shop.do_1', { key: `replay-${actionCount}` })
    await send()
    expect(await countOf(send)).toBe(2)
  })
})

test('a batch needs the statements of one execution for each document', async () => {
  const items = await Promise.all(
    Array.from({ length: 3 }, async () => ({
      id: (await host.addDocument('shop.with_3')).id,
      expectedVersion: 1,
    })),
  )
  const path = '/api/documents/shop.with_3/actions/shop.do_1/batch'
  const headers = { 'Idempotency-Key': 'three' }
  expect(await countOf(() => administrator('POST', path, { headers, body: { items } }))).toBe(3 * 11)
  expect(await countOf(() => administrator('POST', path, { headers, body: { items } }))).toBe(3 * 2)
})

test('without facts, the editor state needs one statement less, and an execution needs two less', async () => {
  const document = await host.addDocument('shop.without_facts')
  const path = `/api/documents/${document.typeCode}/${document.id}/editor-state`
  expect(await countOf(() => administrator('GET', path))).toBe(1)
  expect(await countOf(() => execute(administrator, document, 'shop.do'))).toBe(9)
})

test('a request with a stale version opens no transaction', async () => {
  const document = await host.addDocument('shop.with_3')
  statements.reset()
  expect((await execute(administrator, document, 'shop.do_1', { expectedVersion: 9 })).status).toBe(409)
  expect(statements.count).toBe(2)
})
