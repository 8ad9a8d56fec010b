import type { StoredFile } from '@vertical-kit/attachments'
import type { Attachment } from '@vertical-kit/attachments/contract'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { kitTx } from '@vertical-kit/core-audit/drizzle'
import type { ActingAs, CallerNow } from '@vertical-kit/core-audit/objects'
import { holdTransaction, type TestRequest, testCaller, untilBlocked } from '@vertical-kit/core-audit/testing'
import type { ObjectStore } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applications, driverNames } from '../../../vitest.applications.ts'
import {
  type AttachmentsHost,
  allPermissions,
  downloadedText,
  expectJson,
  hello,
  newTarget,
  openAttachmentsHost,
  openStore,
  targetParameters,
} from './harness.ts'
import { storedAttachment, storedEvents } from './rows.ts'
import { bytes, refusalBy, report } from './stored-files.ts'

const maxActivePerObject = 5
let store: ObjectStore
let host: AttachmentsHost
let clerk: TestRequest
let actor: Actor

beforeAll(async () => {
  store = await openStore()
  host = await openAttachmentsHost({
    store,
    environment: { Attachments__MaxActivePerObject: String(maxActivePerObject) },
  })
  clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
  const [row] = await host.database.statement((tx) =>
    tx.execute<{ id: string }>(sql`
      insert into core_audit.users (id, subject, display_name)
      values (gen_random_uuid(), 'printer', 'The Printer')
      returning id`),
  )
  actor = { userId: row?.id ?? '', displayName: 'The Printer', correlationId: 'job-1' }
})
afterAll(async () => {
  await host.close()
  await store.close()
})

const storeOne = (): Promise<StoredFile> => host.attachments.store({ ...report, body: bytes('hello') })

const attach = (
  stored: StoredFile,
  target: BusinessObjectReference,
  { as = 'system', of = host }: { readonly as?: ActingAs | CallerNow; readonly of?: AttachmentsHost } = {},
): Promise<Attachment> =>
  host.database.transaction((tx) => of.attachments.attach(tx, stored, { as, actor, target }))

const list = (target: BusinessObjectReference, as: ActingAs, of = host) =>
  host.database.read((db) => of.attachments.list(db, { as, target, limit: 10, cursor: null }))

/** Returns the number of attachments and of audit events that the database contains for an object. */
async function countsOf({ id }: BusinessObjectReference) {
  const [row] = await host.database.read((db) =>
    db.execute(sql`
      select
        (select count(*)::int from attachments.attachments where target_id = ${id}::uuid) as attachments,
        (select count(*)::int from core_audit.audit_events where target_id = ${id}::uuid) as events`),
  )
  return row
}

test('an attached file is ready, listed and downloadable, and has an audit event', async () => {
  const target = newTarget()
  const stored = await storeOne()
  expect(await storedAttachment(host.database, stored.id)).toBeUndefined()
  const attachment = await attach(stored, target)
  expect(attachment).toEqual({
    id: stored.id,
    target,
    ...report,
    sizeBytes: 5,
    status: 'ready',
    createdAtUtc: attachment.completedAtUtc,
    createdByUserId: actor.userId,
    createdByDisplayName: 'The Printer',
    completedAtUtc: expect.stringMatching(/Z$/),
    sha256: null,
  })
  const page = { items: [attachment], nextCursor: null }
  expect(await list(target, 'system')).toEqual(page)
  expect(await expectJson(await clerk('GET', `/api/attachments?${targetParameters(target)}`), 200)).toEqual(
    page,
  )
  expect(await downloadedText(clerk, stored.id)).toBe('hello')
  expect(await storedEvents(host.database, stored.id)).toEqual([
    {
      action_code: 'attachments.upload_completed',
      module: 'attachments',
      target_id: target.id,
      actor_user_id: actor.userId,
      correlation_id: 'job-1',
      metadata: { attachmentId: stored.id, ...report, sizeBytes: 5, status: 'ready', downloadable: true },
    },
  ])
})

test('after a rollback, no attachment exists, and the stored file can be attached again', async () => {
  const target = newTarget()
  const stored = await storeOne()
  const undone = host.database.transaction(async (tx) => {
    await host.attachments.attach(tx, stored, { as: 'system', actor, target })
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await countsOf(target)).toEqual({ attachments: 0, events: 0 })
  await expect(attach(stored, target)).resolves.toMatchObject({ status: 'ready' })
})

describe.each([
  ['the same object', (first: BusinessObjectReference) => first],
  ['another object', () => newTarget()],
])('a stored file', (what, other) => {
  test(`cannot be attached again to ${what}`, async () => {
    const target = newTarget()
    const stored = await storeOne()
    await attach(stored, target)
    expect(await refusalBy(attach(stored, other(target)))).toEqual({ code: 'attachments.already_attached' })
    expect(await countsOf(target)).toEqual({ attachments: 1, events: 1 })
  })

  test(`is attached only once if a concurrent call attaches it to ${what}`, async () => {
    const target = newTarget()
    const stored = await storeOne()
    const outcomes = await Promise.all([target, other(target)].map((each) => refusalBy(attach(stored, each))))
    expect(outcomes).toHaveLength(2)
    expect(outcomes).toContain(null)
    expect(outcomes).toContainEqual({ code: 'attachments.already_attached' })
  })
})

test('attach throws a TypeError for a file that store did not return', async () => {
  const copy: object = JSON.parse(JSON.stringify(await storeOne()))
  await expect(attach(copy as StoredFile, newTarget())).rejects.toThrow(
    'stored must be a file that store() returned',
  )
})

test('with a limit of five, only five of 30 concurrent attachments and reservations succeed', async () => {
  const target = newTarget()
  const stored = await Promise.all(Array.from({ length: 15 }, storeOne))
  const body = { target, ...hello }
  const outcomes = await Promise.all([
    ...stored.map((file) => refusalBy(attach(file, target))),
    ...stored.map(async () => {
      const response = await clerk('POST', '/api/attachments/uploads', { body })
      const { code, context } = (await response.json()) as { code?: string; context?: object }
      return code === undefined ? null : { code, context }
    }),
  ])
  expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(maxActivePerObject)
  const refusals = outcomes.filter((outcome) => outcome !== null)
  const limit = { code: 'attachments.count_limit_exceeded', context: { maxActivePerObject } }
  expect(refusals).toEqual(Array.from({ length: 30 - maxActivePerObject }, () => limit))
  expect(await countsOf(target)).toEqual({ attachments: maxActivePerObject, events: maxActivePerObject })
})

test('after a rejected attachment, the transaction can commit its other attachments', async () => {
  const target = newTarget()
  const [twice, ...others] = await Promise.all(Array.from({ length: maxActivePerObject + 1 }, storeOne))
  if (twice === undefined) throw new Error('nothing was stored')
  const outcomes = await host.database.transaction(async (tx) => {
    const all: unknown[] = []
    for (const stored of [twice, twice, ...others]) {
      all.push(await refusalBy(host.attachments.attach(tx, stored, { as: 'system', actor, target })))
    }
    return all
  })
  const attached = Array.from({ length: maxActivePerObject - 1 }, () => null)
  const limit = { code: 'attachments.count_limit_exceeded', context: { maxActivePerObject } }
  expect(outcomes).toEqual([null, { code: 'attachments.already_attached' }, ...attached, limit])
  expect(await countsOf(target)).toEqual({ attachments: maxActivePerObject, events: maxActivePerObject })
})

describe.each([
  [
    'attach',
    'system.attachments.create',
    async (as: ActingAs, target: BusinessObjectReference) => attach(await storeOne(), target, { as }),
  ],
  [
    'list',
    'system.attachments.read',
    async (as: ActingAs, target: BusinessObjectReference) => list(target, as),
  ],
] as const)('attachments.%s', (_method, permission, call) => {
  test('succeeds for a caller with the permission and read access to the target', async () => {
    await expect(call(testCaller([permission]), newTarget())).resolves.toBeDefined()
  })

  test('rejects a caller without the permission and writes nothing', async () => {
    const target = newTarget()
    const others = allPermissions.filter((held) => held !== permission)
    expect(await refusalBy(call(testCaller(others), target))).toEqual({
      code: 'permission.denied',
      context: { permission },
    })
    expect(await countsOf(target)).toEqual({ attachments: 0, events: 0 })
  })

  test('rejects targets that the caller cannot read and targets of an unknown type', async () => {
    const target = newTarget()
    host.hidden.add(target.id)
    const caller = testCaller(allPermissions)
    expect(await refusalBy(call(caller, target))).toEqual({ code: 'business_object.not_found' })
    expect(await refusalBy(call(caller, { ...target, typeCode: 'trade.unknown' }))).toEqual({
      code: 'business_object.unsupported',
    })
    expect(await countsOf(target)).toEqual({ attachments: 0, events: 0 })
  })

  test('checks neither permission nor read access if `as` is system', async () => {
    const target = newTarget()
    host.hidden.add(target.id)
    await expect(call('system', target)).resolves.toBeDefined()
  })
})

test('an attachment is refused if its target becomes unreadable while it waits for the object', async () => {
  const target = newTarget()
  const [first, second] = [await storeOne(), await storeOne()]
  const held = await holdTransaction(host.database, (tx) =>
    host.attachments.attach(tx, first, { as: 'system', actor, target }),
  )
  const waiting = refusalBy(attach(second, target, { as: testCaller(allPermissions) }))
  await untilBlocked(host.database)
  host.hidden.add(target.id)
  await held.commit()
  expect(await waiting).toEqual({ code: 'business_object.not_found' })
  expect(await storedAttachment(host.database, second.id)).toBeUndefined()
})

test('with a CallerNow, rights that end during the wait for the object count no longer', async () => {
  const target = newTarget()
  const [first, second] = [await storeOne(), await storeOne()]
  let permissions = allPermissions
  const as = async () => testCaller(permissions)
  const held = await holdTransaction(host.database, (tx) =>
    host.attachments.attach(tx, first, { as, actor, target }),
  )
  const waiting = refusalBy(attach(second, target, { as }))
  await untilBlocked(host.database)
  permissions = []
  await held.commit()
  expect(await waiting).toMatchObject({ code: 'permission.denied' })
  expect(await storedAttachment(host.database, second.id)).toBeUndefined()
})

test('every method throws feature.disabled while the feature is off', async () => {
  const stored = await storeOne()
  const of = await openAttachmentsHost({ store: null, databaseUrl: host.databaseUrl })
  const disabled = { code: 'feature.disabled' }
  expect(await refusalBy(of.attachments.store({ ...report, body: bytes('x') }))).toEqual(disabled)
  expect(await refusalBy(attach(stored, newTarget(), { of }))).toEqual(disabled)
  expect(await refusalBy(list(newTarget(), 'system', of))).toEqual(disabled)
  await of.close()
})

describe.each(driverNames)('in an application transaction with %s', (driver) => {
  test('an attachment commits or rolls back with the writes of the application', async () => {
    const { transaction } = applications[driver](host.databaseUrl)
    const stored = await storeOne()
    const target = newTarget()
    const undone = transaction(async (tx) => {
      await host.attachments.attach(kitTx(tx), stored, { as: 'system', actor, target })
      tx.rollback()
    })
    await expect(undone).rejects.toThrow('Rollback')
    expect(await countsOf(target)).toEqual({ attachments: 0, events: 0 })
    const attachment = await transaction((tx) =>
      host.attachments.attach(kitTx(tx), stored, { as: 'system', actor, target }),
    )
    expect(await list(target, 'system')).toEqual({ items: [attachment], nextCursor: null })
    const again = transaction((tx) =>
      host.attachments.attach(kitTx(tx), stored, { as: 'system', actor, target: newTarget() }),
    )
    expect(await refusalBy(again)).toEqual({ code: 'attachments.already_attached' })
  })
  test.each(['repeatable read', 'serializable'])(
    'attach throws a TypeError at the isolation level %s',
    async (level) => {
      const { transaction } = applications[driver](host.databaseUrl)
      const target = newTarget()
      const [stored, ...others] = await Promise.all(Array.from({ length: maxActivePerObject + 1 }, storeOne))
      if (stored === undefined) throw new Error('nothing was stored')
      const late = transaction(async (tx) => {
        await tx.execute(sql.raw(`set transaction isolation level ${level}`))
        await tx.execute(sql`select count(*) from attachments.attachments`)
        for (const other of others) await attach(other, target)
        await host.attachments.attach(kitTx(tx), stored, { as: 'system', actor, target })
      })
      await expect(late).rejects.toThrow(TypeError)
      expect(await countsOf(target)).toEqual({ attachments: maxActivePerObject, events: maxActivePerObject })
    },
  )
})
