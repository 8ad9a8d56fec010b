import { connect } from 'node:net'
import type { KitModule } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import {
  CannotStartError,
  createLogger,
  type HostOptions,
  type RunningHost,
  startBackgroundHost,
  startHost,
  type Worker,
} from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openDatabase, runSql } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

/** Creates a worker that runs once and then waits. `ran` resolves during its first cycle. */
function oneCycle(name: string) {
  const ran = Promise.withResolvers<void>()
  const worker: Worker = { name, intervalMs: 2 ** 31 - 1, runOnce: async () => ran.resolve() }
  return { worker, ran: ran.promise }
}

function optionsOf(modules: readonly KitModule[]): HostOptions {
  return {
    title: 'Host',
    database: createDatabase({ ...databaseDefaults, url: fresh.url }),
    authenticate: (_c, next) => next(),
    modules,
    logger: createLogger({ level: 'silent' }),
    server: { host: '127.0.0.1', port: 0 },
  }
}

const isClosed = (options: HostOptions): Promise<boolean> =>
  options.database
    .read((db) => db.execute(sql`select 1`))
    .then(
      () => false,
      () => true,
    )

test('a host does not start if a module must not start with its data, and changes nothing', async () => {
  const isPrepared = vi.fn(async () => {})
  const refusing: KitModule = {
    name: 'refusing',
    async checkStart(db) {
      const [row] = await db.execute<{ one: number }>(sql`select 1 as one`)
      throw new CannotStartError(`refused: ${row?.one}`)
    },
  }
  for (const start of [startHost, startBackgroundHost]) {
    const options = { ...optionsOf([refusing]), prepare: isPrepared }
    await expect(start(options)).rejects.toEqual(new CannotStartError('refused: 1'))
    expect(await isClosed(options)).toBe(true)
  }
  expect(isPrepared).not.toHaveBeenCalled()
})

test('a host serves its own routes and those of its modules, and runs the modules’ workers and sockets', async () => {
  const { worker, ran } = oneCycle('work')
  const attached: string[] = []
  const things: KitModule = {
    name: 'things',
    router: new Hono<KitEnv>().get('/api/things', (c) => c.json([])),
    workers: [worker],
    attachTo(server) {
      attached.push(server.listening ? 'listening' : 'too early')
      return { close: async () => void attached.push('closed') }
    },
  }
  const options = optionsOf([things])
  const host = await startHost({ ...options, mount: (app) => void app.get('/', (c) => c.text('page')) })
  await ran
  expect(await (await fetch(`${host.url}/api/things`)).json()).toEqual([])
  expect(await (await fetch(host.url)).text()).toBe('page')
  expect((await fetch(`${host.url}/health/ready`)).status).toBe(200)
  await host.close()
  expect(attached).toEqual(['listening', 'closed'])
  expect(await isClosed(options)).toBe(true)
  await expect(fetch(host.url)).rejects.toThrow()
})

test('while the host closes, a request in progress can use the database and finishes', async () => {
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const options = optionsOf([
    {
      name: 'slow',
      router: new Hono<KitEnv>().get('/slow', async (c) => {
        reached.resolve()
        await goOn.promise
        return c.json(await options.database.read((db) => db.execute(sql`select 1 as one`)))
      }),
    },
  ])
  const host = await startHost(options)
  const answer = fetch(`${host.url}/slow`)
  await reached.promise
  const closing = host.close()
  goOn.resolve()
  expect(await (await answer).json()).toEqual([{ one: 1 }])
  await closing
})

describe('the function `prepare` of a host', () => {
  test('runs in a transaction that commits before the host listens', async () => {
    const options = optionsOf([])
    const prepare = async (tx: Parameters<NonNullable<HostOptions['prepare']>>[0]) =>
      void (await tx.execute(sql`create table public.prepared ()`))
    const host = await startHost({ ...options, prepare })
    expect(await options.database.read((db) => db.execute(sql`select from public.prepared`))).toEqual([])
    await host.close()
  })

  test('prevents the start of the host if it fails', async () => {
    const options = optionsOf([])
    const prepare = () => Promise.reject(new Error('not prepared'))
    await expect(startHost({ ...options, prepare })).rejects.toThrow('not prepared')
    expect(await isClosed(options)).toBe(true)
  })
})

test('a host that fails to start closes its database', async () => {
  const unfit = optionsOf([{ name: 'twice' }, { name: 'twice' }])
  await expect(startHost(unfit)).rejects.toThrow('twice is registered twice')
  expect(await isClosed(unfit)).toBe(true)

  const first = await startHost(optionsOf([]))
  const second = optionsOf([])
  const port = Number(new URL(first.url).port)
  await expect(startHost({ ...second, server: { host: '127.0.0.1', port } })).rejects.toThrow(/EADDRINUSE/)
  expect(await isClosed(second)).toBe(true)
  await first.close()
})

describe('a host whose database cannot be used does not start, and the error names the change', () => {
  const starting = (url: string) =>
    startHost({ ...optionsOf([]), database: createDatabase({ ...databaseDefaults, url }) })

  test.each([
    ['refuses connections', () => 'postgres://nobody@127.0.0.1:1/none', 'ECONNREFUSED'],
    ['refuses the password', () => Object.assign(new URL(fresh.url), { password: 'wrong' }).href, '28P01'],
    ['does not exist', () => Object.assign(new URL(fresh.url), { pathname: '/missing' }).href, '3D000'],
  ])('because the database %s', async (_, url, code) => {
    await expect(starting(url())).rejects.toMatchObject({
      name: 'CannotStartError',
      message: expect.stringMatching(
        new RegExp(`^No connection to the database \\(${code}\\)\\. .* DATABASE_\\w+\\.$`),
      ),
    })
  })

  test('because the role may not connect', async () => {
    const role = 'without_connect'
    await runSql(
      fresh.url,
      `create role ${role} login password 'c4n4ry'; revoke connect on database ${fresh.name} from public`,
    )
    const url = Object.assign(new URL(fresh.url), { username: role, password: 'c4n4ry' }).href
    await expect(starting(url)).rejects.toThrow(
      'No connection to the database (42501). Grant CONNECT on the database to the user of DATABASE_URL.',
    )
    await runSql(fresh.url, `drop role ${role}; grant connect on database ${fresh.name} to public`)
  })
})

test('a background host runs workers and has no server', async () => {
  const { worker, ran } = oneCycle('work')
  const listenersBefore = process.listenerCount('unhandledRejection')
  const options = optionsOf([{ name: 'jobs', workers: [worker] }])
  const host = await startBackgroundHost(options)
  await ran
  expect(process.listenerCount('unhandledRejection')).toBe(listenersBefore + 1)
  await host.close()
  expect(await isClosed(options)).toBe(true)
  expect(process.listenerCount('unhandledRejection')).toBe(listenersBefore)
})

test('requests that have not ended after the grace period are cut', async () => {
  const reached = Promise.withResolvers<void>()
  const never = new Promise<never>(() => {})
  const hanging: KitModule = {
    name: 'hanging',
    router: new Hono<KitEnv>().get('/hanging', () => {
      reached.resolve()
      return never
    }),
  }
  const host = await startHost({ ...optionsOf([hanging]), graceMs: 1 })
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write('GET /hanging HTTP/1.1\r\nHost: x\r\n\r\n')
  await reached.promise
  await host.close()
  await ended
})

describe('a host with a shutdown delay', () => {
  const start = () =>
    startHost({ ...optionsOf([]), server: { host: '127.0.0.1', port: 0, shutdownDelayMs: 1_000 } })
  const ready = (host: RunningHost) => fetch(`${host.url}/health/ready`)

  test('reports that it is not ready and serves requests until the delay is over', async () => {
    const host = await start()
    expect((await ready(host)).status).toBe(200)
    const closed = host.close()
    const draining = await ready(host)
    expect([draining.status, await draining.json()]).toEqual([
      503,
      { status: 'Unhealthy', detail: 'This host is shutting down.' },
    ])
    expect((await fetch(`${host.url}/health/live`, { headers: { Connection: 'close' } })).status).toBe(200)
    await closed
    await expect(ready(host)).rejects.toThrow()
  })

  test('stops without the delay if isImmediate is set', async () => {
    const options = optionsOf([])
    const server = { host: '127.0.0.1', port: 0, shutdownDelayMs: 600_000 }
    const host = await startHost({ ...options, server })
    await host.close({ isImmediate: true })
    await expect(ready(host)).rejects.toThrow()
    expect(await isClosed(options)).toBe(true)
  })
})
