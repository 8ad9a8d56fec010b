import { brokenConstraint, newId } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAttachment } from '../../src/commands/delete-attachment.ts'
import { hello, newTarget } from '../harness.ts'
import { eventCodes, storedAttachment, storedEvents } from '../rows.ts'
import { authorizeAnyone, type Bench, openBench } from './bench.ts'

let bench: Bench

beforeAll(async () => {
  bench = await openBench({ Attachments__MaxActivePerObject: '3' })
})
afterAll(() => bench.close())

const quotaReached = expect.objectContaining({
  code: 'attachments.count_limit_exceeded',
  context: { maxActivePerObject: 3 },
})

const constraintBrokenBy = (change: Promise<unknown>) => change.then(() => undefined, brokenConstraint)

test('a reservation creates a pending attachment and an event with the actor and the file', async () => {
  const target = newTarget()
  const attachment = await bench.reserve({ target })
  expect(attachment).toEqual({
    id: attachment.id,
    target,
    ...hello,
    status: 'pending',
    createdAtUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    createdByUserId: bench.actor.userId,
    createdByDisplayName: 'Clara Clerk',
    completedAtUtc: null,
    sha256: null,
  })
  expect(await storedAttachment(bench.database, attachment.id)).toEqual({
    status: 'pending',
    is_completed: false,
    is_deleted: false,
    is_leased: false,
  })
  expect(await storedEvents(bench.database, attachment.id)).toEqual([
    {
      action_code: 'attachments.upload_requested',
      module: 'attachments',
      target_id: target.id,
      actor_user_id: bench.actor.userId,
      correlation_id: 'request-1',
      metadata: { attachmentId: attachment.id, ...hello, status: 'pending' },
    },
  ])
})

test('pending uploads count against the limit of their own object, but not of other objects', async () => {
  const target = newTarget()
  for (let count = 0; count < 3; count += 1) await bench.reserve({ target })
  await expect(bench.reserve({ target })).rejects.toThrow(quotaReached)
  await expect(bench.reserve()).resolves.toMatchObject({ status: 'pending' })
})

test('a rejected reservation stores neither an attachment nor an event', async () => {
  const target = newTarget()
  for (let count = 0; count < 3; count += 1) await bench.reserve({ target })
  await expect(bench.reserve({ target })).rejects.toThrow(quotaReached)
  const [counts] = await bench.database.read((db) =>
    db.execute(sql`
      select
        (select count(*)::int from attachments.attachments where target_id = ${target.id}::uuid) as attachments,
        (select count(*)::int from core_audit.audit_events where target_id = ${target.id}::uuid) as events`),
  )
  expect(counts).toEqual({ attachments: 3, events: 3 })
})

test('an object at its limit accepts one more reservation after a deletion', async () => {
  const target = newTarget()
  const first = await bench.reserve({ target })
  await bench.reserve({ target })
  await bench.reserve({ target })
  await bench.database.transaction((tx) =>
    deleteAttachment(tx, bench.config, { id: first.id, actor: bench.actor, authorize: authorizeAnyone }),
  )
  expect(await eventCodes(bench.database, (await bench.reserve({ target })).id)).toEqual(['upload_requested'])
  await expect(bench.reserve({ target })).rejects.toThrow(quotaReached)
})

test.each([
  ['a file name with a slash', { fileName: 'a/b' }, 'attachments_file_name_check'],
  ['an empty file name', { fileName: '' }, 'attachments_file_name_check'],
  ['a file name of 256 characters', { fileName: '😀'.repeat(256) }, 'attachments_file_name_check'],
  ['an invalid media type', { contentType: 'text' }, 'attachments_content_type_check'],
  ['a negative size', { sizeBytes: -1 }, 'attachments_size_bytes_check'],
  ['a size of more than 5 GiB', { sizeBytes: 5_368_709_121 }, 'attachments_size_bytes_check'],
])('the database rejects %s', async (_what, declared, constraint) => {
  expect(await constraintBrokenBy(bench.reserve(declared))).toBe(constraint)
})

test.each([
  ['an unknown status', sql`status = 'lost'`, 'attachments_status_check'],
  ['a ready row without a completion time', sql`status = 'ready'`, 'attachments_completed_check'],
  ['a pending row with a completion time', sql`completed_at = now()`, 'attachments_completed_check'],
  ['a deleted row without a deletion time', sql`status = 'deleted'`, 'attachments_deleted_check'],
  ['a pending row with a deletion time', sql`deleted_at = now()`, 'attachments_deleted_check'],
  ['a lease end without a lease id', sql`seal_lease_until = now()`, 'attachments_seal_check'],
  [
    'a ready row with a lease',
    sql`status = 'ready', completed_at = now(), seal_lease_id = ${newId()}::uuid, seal_lease_until = now()`,
    'attachments_seal_check',
  ],
])('the database rejects %s', async (_what, assignments, constraint) => {
  const { id } = await bench.reserve()
  const change = bench.database.statement((tx) =>
    tx.execute(sql`update attachments.attachments set ${assignments} where id = ${id}::uuid`),
  )
  expect(await constraintBrokenBy(change)).toBe(constraint)
})
