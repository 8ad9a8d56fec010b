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

test('whoever may delete gets a 204 without a body, whoever uploaded, pending or ready', async () => {
  const ready = await attach(bench.clerk)
  const { attachment: pending } = await reserve(bench.clerk)
  for (const { id } of [ready, pending]) {
    const response = await remove(id, bench.colleague)
    expect(response.status).toBe(204)
    expect(await response.text()).toBe('')
  }
})

test('a repeat answers 204 and tells the timeline nothing', async () => {
  const { id } = await attach(bench.clerk)
  expect((await remove(id)).status).toBe(204)
  expect((await remove(id)).status).toBe(204)
  expect(await eventCodes(bench.database, id)).toEqual([
    'upload_requested',
    'upload_completed',
    'mark_for_deletion',
  ])
})

test('the event names who deleted, and carries the id of the request', async () => {
  const { id } = await attach(bench.clerk)
  await bench.colleague('DELETE', `/api/attachments/${id}`, { headers: { 'X-Request-Id': 'delete-1' } })
  const events = await storedEvents(bench.database, id)
  expect(events.at(-1)?.correlation_id).toBe('delete-1')
  expect(events.at(-1)?.actor_user_id).not.toBe(events[0]?.actor_user_id)
})

test('an unknown id, text that is none, and a parent that cannot be read answer the same 404', async () => {
  const hidden = await attach(bench.clerk)
  bench.hidden.add(hidden.target.id)
  for (const id of [newId(), 'not-an-id', hidden.id]) {
    expect(await refusalOf(await remove(id))).toEqual({ status: 404, code: 'attachments.not_found' })
  }
  expect(await eventCodes(bench.database, hidden.id)).toEqual(['upload_requested', 'upload_completed'])
})

test('without the permission it answers 403', async () => {
  const { id } = await attach(bench.clerk)
  expect(await refusalOf(await remove(id, bench.outsider))).toEqual({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.attachments.delete' },
  })
})
