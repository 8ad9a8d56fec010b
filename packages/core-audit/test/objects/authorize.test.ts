import { newId } from '@vertical-kit/core-audit'
import { requirePermission } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { type Authorize, authorizer } from '@vertical-kit/core-audit/objects'
import type { TestHost } from '@vertical-kit/core-audit/testing'
import { deactivateUser, openTestHost, removeRoles } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../harness.ts'

const permission = 'system.shelves.update'
const target: BusinessObjectReference = { kind: 'CatalogItem', typeCode: 'trade.item', id: newId() }

let fresh: FreshDatabase
let host: TestHost
/** The handler of the request. Each test sets it; it can do work before it calls `authorize`. */
let handle: (authorize: Authorize) => Promise<unknown>
let asked: BusinessObjectReference[] = []

beforeAll(async () => {
  fresh = await openDatabase()
  host = await openTestHost({
    databaseUrl: fresh.url,
    modules: () => [{ name: 'shelves', permissions: [], router }],
  })
})
afterAll(async () => {
  await host.close()
  await fresh.drop()
})

const router = new Hono<KitEnv>().post('/api/shelves', async (c) => {
  const authorize = authorizer(c, (_tx, caller, reference) => {
    asked.push(reference)
    requirePermission(caller, permission)
  })
  await handle(authorize)
  return c.json({})
})

const look = (authorize: Authorize) => host.database.transaction((tx) => authorize(tx, target))

/** Sends a request as a user with the permission, and returns its status and error code. */
async function answerTo(subject: string): Promise<{ status: number; code?: string }> {
  asked = []
  const clerk = await host.as({ subject, permissions: [permission] })
  const response = await clerk('POST', '/api/shelves')
  const { code } = (await response.json()) as { code?: string }
  return { status: response.status, ...(code === undefined ? {} : { code }) }
}

test('a caller with the permission is accepted, and the rule receives the object', async () => {
  handle = look
  expect(await answerTo('stays')).toEqual({ status: 200 })
  expect(asked).toEqual([target])
})

test.each([
  ['without roles', removeRoles, 'permission.denied'],
  ['with a deactivated account', deactivateUser, 'auth.inactive'],
])('a caller %s at the time of the check is rejected', async (what, revocation, code) => {
  handle = async (authorize) => {
    await host.database.statement((tx) => revocation(tx, what))
    await look(authorize)
  }
  expect(await answerTo(what)).toEqual({ status: 403, code })
})

test('each check uses the current rights', async () => {
  handle = async (authorize) => {
    await look(authorize)
    await host.database.statement((tx) => removeRoles(tx, 'twice'))
    await look(authorize)
  }
  expect(await answerTo('twice')).toEqual({ status: 403, code: 'permission.denied' })
  expect(asked).toEqual([target, target])
})

test('the check runs in the transaction and applies its revocations', async () => {
  handle = (authorize) =>
    host.database.transaction(async (tx) => {
      await removeRoles(tx, 'inside')
      await authorize(tx, target)
    })
  expect(await answerTo('inside')).toEqual({ status: 403, code: 'permission.denied' })
})
