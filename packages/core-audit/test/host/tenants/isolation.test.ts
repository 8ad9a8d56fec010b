import type { Database } from '@vertical-kit/core-audit/database'
import { startPostgresProxy, untilBlocked } from '@vertical-kit/core-audit/testing'
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { openPool, refusalOf, runSql } from '../../harness.ts'
import { type Fleet, openFleet } from './fleet.ts'

const minuteMs = 60_000

/** All tenants after the first ones answer, deliver their own events, and find the events of other processes. */
async function expectOthersWork(fleet: Fleet, round: string, brokenCount = 1): Promise<void> {
  const others = fleet.ids.slice(brokenCount)
  for (const id of others) await fleet.appendElsewhere(id, `elsewhere in ${round}`)
  fleet.pass(minuteMs)
  void fleet.tenants.round()
  await Promise.all(
    others.map(async (id) => {
      await fleet.handled(id, `elsewhere in ${round}`)
      expect(await fleet.append(id, `own in ${round}`)).toBe(204)
      await fleet.handled(id, `own in ${round}`)
      expect(await (await fleet.get(id, '/health')).json()).toMatchObject({ status: 'Healthy' })
    }),
  )
}

/** Lets all tenants open and close, so that they are visited and their workers are known. */
async function closeAll(fleet: Fleet): Promise<void> {
  await fleet.tenants.round()
  // On a slow machine, a tenant can stay open, which is then not visited, or fail to open, and failing tenants have fewer visits.
  const areClosed = async () =>
    fleet.tenants.openCount === 0 &&
    (await fleet.tenants.health.check(new AbortController().signal)).status === 'Healthy'
  while (!(await areClosed())) {
    fleet.pass(minuteMs)
    await fleet.tenants.round()
  }
}

test('a dropped database makes only its own tenant answer 503', async () => {
  const fleet = await openFleet({ count: 5 })
  await fleet.tenants.round()
  const admin = new URL(fleet.urlOf('t1'))
  await runSql(admin.href, `drop database ${new URL(fleet.urlOf('t0')).pathname.slice(1)} with (force)`)
  expect(await refusalOf(fleet.get('t0', '/database'))).toBe('service.unavailable')
  await expectOthersWork(fleet, 'one')
  expect(await fleet.tenants.health.check(new AbortController().signal)).toEqual({
    status: 'Degraded',
    detail: '1 of 5 tenants cannot be opened. The log names them.',
  })
})

test('requests of a failing tenant are refused without another attempt, and visits become less frequent', async () => {
  const fleet = await openFleet({ count: 1, random: () => 0 })
  let second = 0
  const attemptedAt: number[] = []
  const databases: Database[] = []
  fleet.compositions.set('t0', ({ database }) => {
    attemptedAt.push(second)
    databases.push(database)
    throw new TypeError('a mistake in the composition')
  })
  expect(await refusalOf(fleet.get('t0', '/database'))).toBe('service.unavailable')
  expect(await refusalOf(fleet.get('t0', '/database'))).toBe('service.unavailable')
  expect(attemptedAt).toEqual([0])
  while (second < 120) {
    second += 1
    fleet.pass(1_000)
    await fleet.tenants.round()
  }
  // The pauses double up to a minute. `random` is 0, so each one is half as long.
  expect(attemptedAt).toEqual([0, 1, 2, 4, 8, 16, 32, 62, 92])
  expect(fleet.log.entries.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({ tenant: 't0', msg: 'The tenant cannot be opened.' }),
  ])
  // No failed opening leaves a pool.
  for (const database of databases) await expect(database.read(async () => {})).rejects.toThrow()

  fleet.compositions.clear()
  fleet.pass(minuteMs)
  await fleet.tenants.round()
  expect(fleet.log.entries.at(-1)).toMatchObject({ tenant: 't0', msg: 'The tenant can be reached again.' })
  expect((await fleet.get('t0', '/database')).status).toBe(200)
})

test('servers that never answer delay the visits and requests of no other tenant', async () => {
  // Only the end of the test ends a visit of a silent server.
  const fleet = await openFleet({ count: 16, visitTimeoutMs: minuteMs * 10 })
  await closeAll(fleet)
  // One visit fewer than can run at the same time.
  const silent = [...fleet.databases.entries()].slice(0, 7)
  const reached = await Promise.all(
    silent.map(async ([id, config]) => {
      const proxy = await startPostgresProxy(config.url)
      onTestFinished(() => proxy.stop())
      const asked = Promise.withResolvers<void>()
      proxy.decide = ({ type }) => {
        // The server accepts the connection (`p` contains the password), and answers no statement.
        if (['startup', 'p'].includes(type)) return 'pass'
        asked.resolve()
        return 'swallow'
      }
      // The tenant keeps the same entry, and therefore remembers its workers.
      Object.assign(config, { url: proxy.url, statementTimeoutMs: 0 })
      return { id, asked: asked.promise }
    }),
  )
  fleet.pass(minuteMs)
  let isOver = false
  void fleet.tenants.round().then(() => {
    isOver = true
  })
  await Promise.all(reached.map(({ asked }) => asked))
  await expectOthersWork(fleet, 'one', silent.length)
  expect(isOver).toBe(false)
})

test('failing tenants whose servers fall silent delay the visits of no other tenant', async () => {
  // As many as can be visited at the same time.
  const silentCount = 8
  const fleet = await openFleet({ count: silentCount + 2, visitTimeoutMs: minuteMs * 10 })
  await closeAll(fleet)
  const silent = [...fleet.databases].slice(0, silentCount)
  const urls = silent.map(([, { url }]) => url)
  for (const [, config] of silent) Object.assign(config, { url: 'postgres://nobody@127.0.0.1:1/none' })
  fleet.pass(minuteMs)
  await fleet.tenants.round()
  const reached = await Promise.all(
    silent.map(async ([, config], index) => {
      const proxy = await startPostgresProxy(urls[index] ?? '')
      onTestFinished(() => proxy.stop())
      Object.assign(config, { url: proxy.url, statementTimeoutMs: 0 })
      const asked = Promise.withResolvers<void>()
      proxy.decide = ({ type }) => {
        if (['startup', 'p'].includes(type)) return 'pass'
        asked.resolve()
        return 'swallow'
      }
      return { asked: asked.promise }
    }),
  )
  fleet.pass(minuteMs)
  void fleet.tenants.round()
  await Promise.all(reached.map(({ asked }) => asked))
  await expectOthersWork(fleet, 'one', silentCount)
})

test('a visit ends if the server does not answer in time, also if the statements of the tenant have no limit', async () => {
  const fleet = await openFleet({ count: 1, visitTimeoutMs: 1_000 })
  await fleet.tenants.round()
  const proxy = await startPostgresProxy(fleet.urlOf('t0'))
  onTestFinished(() => proxy.stop())
  proxy.decide = ({ type }) => (['startup', 'p'].includes(type) ? 'pass' : 'swallow')
  for (const config of fleet.databases.values()) {
    Object.assign(config, { url: proxy.url, statementTimeoutMs: 0 })
  }
  fleet.pass(minuteMs)
  await fleet.tenants.round()
  expect(await fleet.tenants.health.check(new AbortController().signal)).toMatchObject({ status: 'Degraded' })
})

test('a handler that is blocked on a lock, or throws, delays no event of another tenant', async () => {
  const fleet = await openFleet({ count: 5 })
  const holder = postgres(fleet.urlOf('t0'), { max: 1 })
  onTestFinished(() => holder.end({ timeout: 1 }))
  await holder.unsafe('begin; lock table public.handled')
  expect(await fleet.append('t0', 'blocked')).toBe(204)
  await untilBlocked(openPool(fleet.urlOf('t0')))
  await expectOthersWork(fleet, 'one')
  await holder.unsafe('rollback')
  await fleet.handled('t0', 'blocked')

  fleet.handlers.set('t0', () => Promise.reject(new Error('always')))
  expect(await fleet.append('t0', 'failing')).toBe(204)
  await expectOthersWork(fleet, 'two')
})

test('a tenant whose connections are all blocked delays only its own requests', async () => {
  const fleet = await openFleet({ count: 5 })
  const release = Promise.withResolvers<void>()
  const holding = [0, 1, 2].map(() => Promise.withResolvers<void>())
  fleet.compositions.set('t0', ({ database }) => ({
    ...{ title: 't0', authenticate: (_c, next) => next(), modules: [] },
    mount: (app) =>
      void app
        .get('/hold/:number', (c) =>
          database.transaction(async () => {
            holding[Number(c.req.param('number'))]?.resolve()
            await release.promise
            return c.text('released')
          }),
        )
        .get('/read', (c) => database.read(async () => c.text('answered'))),
  }))
  const holds = holding.map((_, number) => fleet.get('t0', `/hold/${number}`))
  await Promise.all(holding.map(({ promise }) => promise))
  let isAnswered = false
  const waiting = fleet.get('t0', '/read').then((response) => {
    isAnswered = true
    return response
  })
  await expectOthersWork(fleet, 'one')
  expect(isAnswered).toBe(false)
  release.resolve()
  expect((await Promise.all([...holds, waiting])).map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

test('a composition that never ends, and a handler that never ends, affect only their tenants', async () => {
  const fleet = await openFleet({ count: 5 })
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  fleet.handlers.set('t0', () => {
    reached.resolve()
    return release.promise
  })
  expect(await fleet.append('t0', 'endless')).toBe(204)
  await reached.promise
  for (const [, config] of [...fleet.databases].slice(0, 1)) fleet.databases.set('t5', { ...config })
  fleet.compositions.set('t5', () => new Promise(() => {}))
  const refused = refusalOf(fleet.get('t5', '/database'))
  await expectOthersWork(fleet, 'one')
  await fleet.tenants.stop()
  expect(await refused).toBe('service.unavailable')
  release.resolve()
})

test('pending migrations make only their own tenant answer 503, and the log names the migrations', async () => {
  const fleet = await openFleet({ count: 5 })
  await runSql(
    fleet.urlOf('t0'),
    'delete from core_audit.migrations where file = (select max(file) from core_audit.migrations)',
  )
  expect(await refusalOf(fleet.get('t0', '/database'))).toBe('service.unavailable')
  expect(fleet.log.entries).toEqual([
    expect.objectContaining({
      err: expect.objectContaining({ message: expect.stringContaining('these migrations are pending') }),
    }),
  ])
  await expectOthersWork(fleet, 'one')
})
