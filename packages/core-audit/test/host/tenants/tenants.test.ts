import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { KitModule } from '@vertical-kit/core-audit'
import { startPostgresProxy } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, onTestFinished, test } from 'vitest'
import { refusalOf, runSql } from '../../harness.ts'
import { type Fleet, openFleet } from './fleet.ts'

const minuteMs = 60_000

test('twenty tenants have separate data, and events reach only the consumer of their tenant', async () => {
  const fleet = await openFleet({ count: 20 })
  await Promise.all(
    fleet.ids.map(async (id) => {
      expect(await fleet.append(id, `of ${id}`)).toBe(204)
      await fleet.handled(id, `of ${id}`)
    }),
  )
  for (const id of fleet.ids) {
    const { name } = (await (await fleet.get(id, '/database')).json()) as { name: string }
    expect(new URL(fleet.urlOf(id)).pathname).toBe(`/${name}`)
    expect(await fleet.stored(id)).toEqual([`of ${id}`])
  }
})

test('a tenant opens at its first request, and closes with all its connections when it has been idle', async () => {
  const fleet = await openFleet({ count: 2, random: () => 0.99 })
  expect(fleet.tenants.openCount).toBe(0)
  const responses = await Promise.all([fleet.get('t0', '/database'), fleet.get('t0', '/database')])
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
  expect(fleet.tenants.openCount).toBe(1)

  fleet.pass(minuteMs - 1_000)
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  fleet.pass(minuteMs - 1_000)
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(1)
  fleet.pass(1_000)
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(0)
  await expect.poll(() => fleet.sessions()).toBe(0)
  expect((await fleet.get('t0', '/database')).status).toBe(200)
})

test('a tenant stays open until a streamed response has been sent', async () => {
  const fleet = await openFleet({ count: 1, random: () => 0.99 })
  const outgoing = new ServerResponse(new IncomingMessage(new Socket()))
  const request = new Request('http://localhost/database')
  expect((await fleet.tenants.fetch('t0', request, { outgoing })).status).toBe(200)
  fleet.pass(10 * minuteMs)
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(1)

  outgoing.destroy()
  await once(outgoing, 'close')
  fleet.pass(minuteMs)
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(0)
})

test('a client that has left before its request is handled keeps its tenant open no longer', async () => {
  const fleet = await openFleet({ count: 1, random: () => 0.99 })
  const outgoing = new ServerResponse(new IncomingMessage(new Socket()))
  outgoing.destroy()
  await once(outgoing, 'close')
  await fleet.tenants.fetch('t0', new Request('http://localhost/database'), { outgoing })
  fleet.pass(minuteMs)
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(0)
})

test('a tenant stays open while a socket is open, unless the socket has ended before', async () => {
  const fleet = await openFleet({ count: 1, random: () => 0.99 })
  const sockets: KitModule = {
    name: 'sockets',
    attachTo(server) {
      server.on('upgrade', () => {})
      return { close: async () => {} }
    },
  }
  fleet.compositions.set('t0', ({ id }) => ({
    ...{ title: id, authenticate: (_c, next) => next(), modules: [sockets] },
  }))
  const upgrade = (socket: Socket) =>
    fleet.tenants.upgrade('t0', new IncomingMessage(socket), socket, Buffer.alloc(0))
  const openLater = async () => {
    fleet.pass(minuteMs)
    await fleet.tenants.round()
    return fleet.tenants.openCount
  }
  const [left, open] = [new Socket(), new Socket()]
  left.destroy()
  await once(left, 'close')
  await upgrade(left)
  expect(await openLater()).toBe(0)
  await upgrade(open)
  expect(await openLater()).toBe(1)
  open.destroy()
  await once(open, 'close')
  expect(await openLater()).toBe(0)
})

test('a process that stops opens no further tenant', async () => {
  const fleet = await openFleet({ count: 1, random: () => 0.99 })
  await fleet.tenants.stop()
  expect(await refusalOf(fleet.get('t0', '/database'))).toBe('service.unavailable')
  expect(fleet.tenants.openCount).toBe(0)
})

test('every tenant opens once within the first interval, and runs its workers without a request', async () => {
  let turn = 0
  // 0.0, 0.1, … spread the first visits evenly.
  const fleet = await openFleet({ count: 10, random: () => turn++ / 10 })
  for (const id of fleet.ids) await fleet.appendElsewhere(id, 'waiting')
  for (const [index, id] of fleet.ids.entries()) {
    await fleet.tenants.round()
    await fleet.handled(id, 'waiting')
    const rest = fleet.ids.slice(index + 1)
    for (const later of rest) expect(await fleet.stored(later)).toEqual([])
    fleet.pass(minuteMs / 10)
  }
  expect(fleet.tenants.openCount).toBe(0)
})

/** Counts the connections and statements of a tenant. */
async function countTraffic(fleet: Fleet, id: string) {
  const counts = { connections: 0, statements: 0 }
  const config = fleet.databases.get(id)
  if (config === undefined) throw new TypeError(`There is no tenant ${id}`)
  const proxy = await startPostgresProxy(config.url)
  onTestFinished(() => proxy.stop())
  proxy.decide = ({ type }) => {
    if (type === 'startup') counts.connections += 1
    if (type === 'E' || type === 'Q') counts.statements += 1
    return 'pass'
  }
  fleet.databases.set(id, { ...config, url: proxy.url })
  return counts
}

test('a closed tenant costs one connection and one statement per visit', async () => {
  const fleet = await openFleet({ count: 1 })
  const counts = await countTraffic(fleet, 't0')
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(0)
  Object.assign(counts, { connections: 0, statements: 0 })
  for (let second = 1; second < 3_600; second += 1) {
    fleet.pass(1_000)
    await fleet.tenants.round()
  }
  expect(counts).toEqual({ connections: 59, statements: 59 })
  await expect.poll(() => fleet.sessions()).toBe(0)
})

test('workers without a due time open their tenant in their interval', async () => {
  let cycleCount = 0
  const report = { name: 'report', intervalMs: 10 * minuteMs, runOnce: async () => void cycleCount++ }
  const fleet = await openFleet({ count: 1, workers: () => [report] })
  for (let minute = 0; minute <= 60; minute += 1) {
    await fleet.tenants.round()
    fleet.pass(minuteMs)
  }
  expect(cycleCount).toBe(7)
})

test('a visit finds the events of another process, and the tenant closes after it has handled them', async () => {
  const fleet = await openFleet({ count: 3 })
  await fleet.tenants.round()
  await fleet.appendElsewhere('t1', 'from elsewhere')
  fleet.pass(minuteMs - 1)
  await fleet.tenants.round()
  expect(await fleet.stored('t1')).toEqual([])
  fleet.pass(1)
  await fleet.tenants.round()
  expect(await fleet.stored('t1')).toEqual(['from elsewhere'])
  expect(fleet.tenants.openCount).toBe(0)
})

test('a visit finds the work of one worker while another one has work later', async () => {
  const later = sql<string | null>`now() + interval '1 hour'`
  const report = { name: 'report', intervalMs: minuteMs, dueAt: later, runOnce: async () => {} }
  const fleet = await openFleet({ count: 1, workers: () => [report] })
  await fleet.tenants.round()
  await fleet.appendElsewhere('t0', 'from elsewhere')
  fleet.pass(minuteMs)
  await fleet.tenants.round()
  expect(await fleet.stored('t0')).toEqual(['from elsewhere'])
})

test('a tenant is visited at the time at which its next event is due', async () => {
  const fleet = await openFleet({ count: 1, config: { visitIntervalMs: 60 * minuteMs } })
  const counts = await countTraffic(fleet, 't0')
  await fleet.appendElsewhere('t0', 'later')
  await runSql(
    fleet.urlOf('t0'),
    `update core_audit.outbox_deliveries set available_at = now() + interval '30 minutes'`,
  )
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(0)
  Object.assign(counts, { connections: 0, statements: 0 })
  // The times differ by the real duration of this test.
  fleet.pass(25 * minuteMs)
  await fleet.tenants.round()
  expect(counts.statements).toBe(0)
  await runSql(fleet.urlOf('t0'), 'update core_audit.outbox_deliveries set available_at = now()')
  fleet.pass(5 * minuteMs)
  await fleet.tenants.round()
  expect(await fleet.stored('t0')).toEqual(['later'])
})

test('a tenant stays open while an event waits for a retry within seconds', async () => {
  const fleet = await openFleet({ count: 1 })
  fleet.handlers.set('t0', () => Promise.reject(new Error('not yet')))
  await fleet.appendElsewhere('t0', 'retried')
  await fleet.tenants.round()
  expect(fleet.tenants.openCount).toBe(1)
})

test('when all places are taken, the tenant that rested longest makes room', async () => {
  const fleet = await openFleet({ count: 3, config: { maxOpen: 2 }, random: () => 0.99 })
  for (const id of ['t0', 't1', 't0', 't2']) {
    fleet.pass(1_000)
    expect((await fleet.get(id, '/database')).status).toBe(200)
  }
  expect(fleet.tenants.openCount).toBe(2)
  // t1 was closed, so only t1 needs a new connection.
  const opened: string[] = []
  for (const id of fleet.ids) fleet.compositions.set(id, () => Promise.reject(opened.push(id)))
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  expect((await fleet.get('t2', '/database')).status).toBe(200)
  expect(await refusalOf(fleet.get('t1', '/database'))).toBe('service.unavailable')
  expect(opened).toEqual(['t1'])
})

test('when all places are in use, the next tenant that rests makes room, and no other one', async () => {
  const fleet = await openFleet({ count: 4, config: { maxOpen: 2 }, random: () => 0.99 })
  const release = [await fleet.hold('t0'), await fleet.hold('t1')]
  const waiting = fleet.get('t2', '/database')
  for (const end of release) end()
  expect((await waiting).status).toBe(200)
  // t0 rested first. t1 is still open.
  const opened: string[] = []
  for (const id of fleet.ids) fleet.compositions.set(id, () => Promise.reject(opened.push(id)))
  expect((await fleet.get('t1', '/database')).status).toBe(200)
  expect(opened).toEqual([])
})

test('entries can be added, replaced and removed while the process runs', async () => {
  const fleet = await openFleet({ count: 2 })
  const [first, second] = fleet.ids.map((id) => fleet.databases.get(id))
  if (first === undefined || second === undefined) throw new TypeError('There are two tenants')
  const nameOf = async (id: string) =>
    ((await (await fleet.get(id, '/database')).json()) as { name: string }).name
  const [nameOfFirst, nameOfSecond] = [await nameOf('t0'), await nameOf('t1')]

  fleet.databases.set('t0', { ...second })
  expect(await nameOf('t0')).toBe(nameOfSecond)
  fleet.databases.set('t2', { ...first })
  expect(await nameOf('t2')).toBe(nameOfFirst)
  fleet.databases.clear()
  expect(await refusalOf(fleet.get('t0', '/database'))).toBe('request.route_not_found')
  await fleet.tenants.round()
  await expect.poll(() => fleet.tenants.openCount).toBe(0)
})
