import { newId } from '@vertical-kit/core-audit'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { blockedCount, removePermission, testCaller, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTypeRegistry } from '../../src/actions/registry.ts'
import { dryRunAction } from '../../src/commands/dry-run-action.ts'
import { allPermissions, dryRun, execute, openShopHost, type ShopHost } from '../harness.ts'
import { shopTargets, shopTypes } from '../shop.ts'
import { answerOf } from './answers.ts'
import { effectsOf, noEffects, onePosting } from './effects.ts'
import { holdDocument } from './hold-document.ts'

/** Runs inside the handler of the next actions. Default: nothing. */
let inHandler: (tx: Tx) => Promise<unknown> = async () => {}
const hooks = {
  onExecute: async (tx: Tx) => void (await inHandler(tx)),
}
afterEach(() => {
  inHandler = async () => {}
})

let host: ShopHost
beforeAll(async () => {
  host = await openShopHost({ hooks, database: { poolMax: 40 } })
})
afterAll(() => host.close())

const clerk = (subject = newId()) => host.as({ subject, permissions: allPermissions })

test('30 dry runs beside one execution: the execution has its effect once, and the dry runs have none', async () => {
  const request = await clerk()
  const invoice = await host.addDocument()
  const held = await holdDocument(host.database, invoice)
  const dryRuns = Array.from({ length: 30 }, () => dryRun(request, invoice, 'post'))
  const execution = execute(request, invoice, 'post')
  let hasGivenUp = false
  void Promise.race(dryRuns).then(() => {
    hasGivenUp = true
  })
  // On a busy machine, the first dry run reaches its limit before the last one waits.
  while (!hasGivenUp && (await blockedCount(host.database)) < 31);
  await held.rollback()
  expect((await execution).status).toBe(200)
  // A dry run before the execution succeeds, one after it finds a new version, and one that waited too long gave up.
  for (const { status } of await Promise.all(dryRuns)) expect([200, 409, 503]).toContain(status)
  expect(await effectsOf(host.database, invoice)).toEqual(onePosting)
})

test('a dry run reads the permissions again after it has waited for the document', async () => {
  const subject = newId()
  const request = await clerk(subject)
  const invoice = await host.addDocument()
  const held = await holdDocument(host.database, invoice)
  const answer = dryRun(request, invoice, 'post')
  await untilBlocked(host.database)
  await host.database.statement((tx) => removePermission(tx, subject, 'document.shop.invoice.post'))
  await held.rollback()
  expect(await answerOf(await answer)).toMatchObject({ status: 403, code: 'document_action.forbidden' })
})

const limitsOf = async (tx: Pick<Tx, 'execute'>) => {
  const [row] = await tx.execute<{ statement: string; lock: string }>(sql`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`)
  return row
}

test('the statements of a dry run have short limits, and those of an execution have the usual limits', async () => {
  const request = await clerk()
  const invoice = await host.addDocument()
  const limits: unknown[] = []
  inHandler = async (tx) => limits.push(await limitsOf(tx))
  await dryRun(request, invoice, 'post')
  await execute(request, invoice, 'post')
  const [inDryRun, inExecution] = limits
  expect(inDryRun).toEqual({ statement: '2s', lock: '2s' })
  expect(inExecution).toEqual(await host.database.read(limitsOf))
  expect(inExecution).not.toEqual(inDryRun)
})

/** Performs a dry run of `post` with a limit that expires as soon as its handler waits. */
async function expiringDryRun(database: Database, id: string): Promise<unknown> {
  const types = createTypeRegistry({ types: shopTypes(hooks), navigationTargets: shopTargets })
  const type = types.get('shop.invoice')
  const action = type?.actions.get('post')
  if (type === undefined || action === undefined) throw new Error('The action does not exist')
  const caller = testCaller(allPermissions)
  const actor = { userId: newId(), displayName: 'Clerk', correlationId: newId() }
  const request = {
    ...{ executionId: newId(), type, types, id, action, body: { expectedVersion: 1 }, caller },
    actor: async () => actor,
    callerNow: async () => caller,
  }
  return dryRunAction(database, request, { statementMs: 2_000, transactionMs: 1 })
}

test('a dry run whose handler does not end is rolled back, and releases the document and the connection', async () => {
  const invoice = await host.addDocument()
  inHandler = () => new Promise(() => {})
  await expect(expiringDryRun(host.database, invoice.id)).rejects.toMatchObject({
    code: 'service.unavailable',
  })
  inHandler = async () => {}
  expect((await execute(await clerk(), invoice, 'post')).status).toBe(200)
  expect(host.database.load.runningCount).toBe(0)
})

test('a dry run fails if the commit of the action would fail', async () => {
  await host.database.statement((tx) =>
    tx.execute(sql`create table shop.once (id integer unique deferrable initially deferred)`),
  )
  inHandler = (tx) => tx.execute(sql`insert into shop.once (id) values (1), (1)`)
  const invoice = await host.addDocument()
  expect((await dryRun(await clerk(), invoice, 'post')).status).toBe(500)
  expect((await execute(await clerk(), invoice, 'post')).status).toBe(500)
  expect(await effectsOf(host.database, invoice)).toEqual(noEffects)
})
