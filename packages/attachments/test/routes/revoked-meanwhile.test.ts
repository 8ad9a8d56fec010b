import { newId } from '@vertical-kit/core-audit'
import { blockedCount, deactivateUser, removeRoles } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { insertAttachment } from '../../src/commands/insert-attachment.ts'
import { allPermissions, attach, complete, hello, refusalOf, reserve, reserveAndPut } from '../harness.ts'
import { holdFirst } from '../hold-first.ts'
import { eventCodes, holdingRow, storedAttachment } from '../rows.ts'
import { openRoutesBench, type RoutesBench } from './bench.ts'

let bench: RoutesBench

beforeAll(async () => {
  bench = await openRoutesBench()
})
afterEach(() => bench.store.faults.clear())
afterAll(() => bench.close())

/** The subject of the caller, and the id of the business object that the file belongs to. */
interface Case {
  readonly subject: string
  readonly targetId: string
}

const deactivate = ({ subject }: Case) => bench.database.statement((tx) => deactivateUser(tx, subject))

const takeRole = ({ subject }: Case) => bench.database.statement((tx) => removeRoles(tx, subject))

const hideTarget = async ({ targetId }: Case) => bench.hidden.add(targetId)

const cases = [
  { what: 'the caller is deactivated', revoke: deactivate, status: 403, code: 'auth.inactive' },
  { what: 'the caller loses the role', revoke: takeRole, status: 403, code: 'permission.denied' },
  { what: 'the target becomes unreadable', revoke: hideTarget, status: 404, code: 'attachments.not_found' },
]

const as = (subject: string) => bench.as({ subject, permissions: allPermissions })

test.each(cases)('if $what while a deletion waits for the row lock, the deletion fails', async (row) => {
  const subject = `deletes, ${row.what}`
  const caller = await as(subject)
  const { id, target } = await attach(caller)
  let deletion: Promise<Response> | undefined
  await holdingRow(bench.database, id, async () => {
    deletion = caller('DELETE', `/api/attachments/${id}`)
    await expect.poll(() => blockedCount(bench.database)).toBe(1)
    await row.revoke({ subject, targetId: target.id })
  })
  expect(await refused(deletion)).toMatchObject({ status: row.status, code: row.code })
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'ready', is_deleted: false })
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'upload_completed'])
})

test.each(cases)(
  'if $what during the copy, the completion fails and the upload stays pending',
  async (row) => {
    const subject = `completes, ${row.what}`
    const caller = await as(subject)
    const { id, target } = (await reserveAndPut(caller)).attachment
    const copy = holdFirst(bench.store, 'CopyObject')
    const completion = complete(caller, id)
    await copy.reached
    await row.revoke({ subject, targetId: target.id })
    copy.letGo()
    await expectNotCompleted(id, completion, row)
  },
)

test.each(cases)('if $what while a completion waits for the row lock, the completion fails', async (row) => {
  const subject = `waits to complete, ${row.what}`
  const caller = await as(subject)
  const { id, target } = (await reserveAndPut(caller)).attachment
  const copy = holdFirst(bench.store, 'CopyObject')
  const completion = complete(caller, id)
  await copy.reached
  await holdingRow(bench.database, id, async () => {
    copy.letGo()
    await expect.poll(() => blockedCount(bench.database)).toBe(1)
    await row.revoke({ subject, targetId: target.id })
  })
  await expectNotCompleted(id, completion, row)
})

test('a completion that failed for an unreadable target succeeds when the target is readable again', async () => {
  const caller = await as('returns')
  const { id, target } = (await reserveAndPut(caller)).attachment
  const copy = holdFirst(bench.store, 'CopyObject')
  const completion = complete(caller, id)
  await copy.reached
  bench.hidden.add(target.id)
  copy.letGo()
  expect(await refused(completion)).toEqual({ status: 404, code: 'attachments.not_found' })
  bench.hidden.delete(target.id)
  expect((await complete(caller, id)).status).toBe(200)
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'upload_completed'])
})

test.each(cases)(
  'if $what while a reservation waits for another file of the object, nothing is reserved',
  async (row) => {
    const subject = `reserves, ${row.what}`
    const caller = await as(subject)
    const { target } = (await reserve(caller)).attachment
    let reservation: Promise<Response> | undefined
    await bench.database.transaction(async (tx) => {
      const actor = { userId: newId(), displayName: 'Carl', correlationId: 'request-1' }
      await insertAttachment(tx, bench.config, { ...hello, id: newId(), target, actor, status: 'ready' })
      reservation = caller('POST', '/api/attachments/uploads', { body: { target, ...hello } })
      await expect.poll(() => blockedCount(bench.database)).toBe(1)
      await row.revoke({ subject, targetId: target.id })
    })
    const code = row.status === 404 ? 'business_object.not_found' : row.code
    expect(await refused(reservation)).toMatchObject({ status: row.status, code })
    const [found] = await bench.database.read((db) =>
      db.execute(sql`
        select count(*)::int as files from attachments.attachments where target_id = ${target.id}::uuid`),
    )
    expect(found).toEqual({ files: 2 })
  },
)

/** Waits for the response to a request that was sent earlier and returns its status, code and context. */
async function refused(request: Promise<Response> | undefined) {
  if (request === undefined) throw new Error('The request was not sent')
  return refusalOf(await request)
}

async function expectNotCompleted(
  id: string,
  completion: Promise<Response>,
  expected: { readonly status: number; readonly code: string },
): Promise<void> {
  const { status, code } = expected
  expect(await refused(completion)).toMatchObject({ status, code })
  expect(await storedAttachment(bench.database, id)).toEqual({
    status: 'pending',
    is_completed: false,
    is_deleted: false,
    is_leased: false,
  })
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested'])
}
