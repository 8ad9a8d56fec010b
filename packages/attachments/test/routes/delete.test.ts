import { newId } from '@vertical-kit/core-audit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attach, refusalOf, reserve } from '../harness.ts'
import { eventCodes, storedEvents } from '../rows.ts'
import { openRoutesBench, type RoutesBench } from './bench.ts'

let bench: RoutesBench

beforeAll(async () => {
  bench = await openRoutesBench()
})
afterAll(() => bench.close())

const remove = (id: string, request = bench.clerk) => request('DELETE', `/api/attachments/${id}`)

test("a user with the delete permission can delete another user's ready file and pending upload", async () => {
  const ready = await attach(bench.clerk)
  const { attachment: pending } = await reserve(bench.clerk)
  for (const { id } of [ready, pending]) {
    const response = await remove(id, bench.colleague)
    expect(response.status).toBe(204)
    expect(await response.text()).toBe('')
  }
})

test('with unlessReady, a deletion leaves a ready file as it is and releases a pending upload', async () => {
  const ready = await attach(bench.clerk)
  const { attachment: pending } = await reserve(bench.clerk)
  for (const { id } of [ready, pending]) {
    expect((await bench.clerk('DELETE', `/api/attachments/${id}?unlessReady=true`)).status).toBe(204)
  }
  expect(await eventCodes(bench.database, ready.id)).toEqual(['upload_requested', 'upload_completed'])
  expect(await eventCodes(bench.database, pending.id)).toEqual(['upload_requested', 'mark_for_deletion'])
  const wrong = await bench.clerk('DELETE', `/api/attachments/${ready.id}?unlessReady=yes`)
  expect(await refusalOf(wrong)).toMatchObject({ status: 400, code: 'request.invalid' })
})

test('a repeated deletion returns 204 and writes no event', async () => {
  const { id } = await attach(bench.clerk)
  expect((await remove(id)).status).toBe(204)
  expect((await remove(id)).status).toBe(204)
  expect(await eventCodes(bench.database, id)).toEqual([
    'upload_requested',
    'upload_completed',
    'mark_for_deletion',
  ])
})

test('the event of a deletion contains the user that deleted the attachment and the request id', async () => {
  const { id } = await attach(bench.clerk)
  await bench.colleague('DELETE', `/api/attachments/${id}`, { headers: { 'X-Request-Id': 'delete-1' } })
  const events = await storedEvents(bench.database, id)
  expect(events.at(-1)?.correlation_id).toBe('delete-1')
  expect(events.at(-1)?.actor_user_id).not.toBe(events[0]?.actor_user_id)
})

test('a deletion returns the same 404 for unknown ids, malformed ids and unreadable targets', async () => {
  const hidden = await attach(bench.clerk)
  bench.hidden.add(hidden.target.id)
  for (const id of [newId(), 'not-an-id', hidden.id]) {
    expect(await refusalOf(await remove(id))).toEqual({ status: 404, code: 'attachments.not_found' })
  }
  expect(await eventCodes(bench.database, hidden.id)).toEqual(['upload_requested', 'upload_completed'])
})

test('a deletion by a user without permissions returns 403', async () => {
  const { id } = await attach(bench.clerk)
  expect(await refusalOf(await remove(id, bench.outsider))).toEqual({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.attachments.delete' },
  })
})
