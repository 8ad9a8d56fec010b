import { newId } from '@vertical-kit/core-audit'
import { blockedCount } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAttachment } from '../../src/commands/delete-attachment.ts'
import { hello } from '../harness.ts'
import { eventCodes, holdingRow, leaseToTheDead, storedAttachment, storedEvents } from '../rows.ts'
import { authorizeAnyone, type Bench, openBench } from './bench.ts'

let bench: Bench

beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

const remove = (id: string) =>
  bench.database.transaction((tx) =>
    deleteAttachment(tx, bench.config, { id, actor: bench.actor, authorize: authorizeAnyone }),
  )

const makeReady = (id: string) =>
  bench.database.statement((tx) =>
    tx.execute(sql`
      update attachments.attachments set status = 'ready', completed_at = now() where id = ${id}::uuid`),
  )

test('deleting a pending upload marks it as deleted and writes an event without a download', async () => {
  const { id, target } = await bench.reserve()
  await remove(id)
  expect(await storedAttachment(bench.database, id)).toMatchObject({
    status: 'deleted',
    is_completed: false,
    is_deleted: true,
  })
  expect((await storedEvents(bench.database, id)).at(-1)).toEqual({
    action_code: 'attachments.mark_for_deletion',
    module: 'attachments',
    target_id: target.id,
    actor_user_id: bench.actor.userId,
    correlation_id: 'request-1',
    metadata: { attachmentId: id, ...hello, status: 'deleted' },
  })
})

test('deleting a ready attachment keeps its completion time and writes an event with a download', async () => {
  const { id } = await bench.reserve()
  await makeReady(id)
  await remove(id)
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'deleted', is_completed: true })
  expect((await storedEvents(bench.database, id)).at(-1)?.metadata).toEqual({
    attachmentId: id,
    ...hello,
    status: 'deleted',
    downloadable: true,
  })
})

test('a second deletion of the same attachment writes no event', async () => {
  const { id } = await bench.reserve()
  await remove(id)
  await remove(id)
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'mark_for_deletion'])
})

test('five concurrent deletions of one attachment write one event', async () => {
  const { id } = await bench.reserve()
  let deletions: Promise<unknown> = Promise.resolve()
  await holdingRow(bench.database, id, async () => {
    deletions = Promise.all(Array.from({ length: 5 }, () => remove(id)))
    await expect.poll(() => blockedCount(bench.database)).toBe(5)
  })
  await deletions
  expect(await eventCodes(bench.database, id)).toEqual(['upload_requested', 'mark_for_deletion'])
})

test('an upload can be deleted while a completion has its lease', async () => {
  const { id } = await bench.reserve()
  await leaseToTheDead(bench.database, id)
  await remove(id)
  expect(await storedAttachment(bench.database, id)).toMatchObject({ status: 'deleted', is_leased: false })
})

test('deleting an unknown id throws attachments.not_found', async () => {
  await expect(remove(newId())).rejects.toThrow(expect.objectContaining({ code: 'attachments.not_found' }))
})
