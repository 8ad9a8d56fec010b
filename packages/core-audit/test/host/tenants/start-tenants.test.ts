import { once } from 'node:events'
import { connect } from 'node:net'
import type { KitModule } from '@vertical-kit/core-audit'
import { type Database, type DatabaseConfig, databaseDefaults } from '@vertical-kit/core-audit/database'
import {
  type RunningTenantsHost,
  startTenants,
  type TenantsHostOptions,
  tenantsDefaults,
} from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../harness.ts'

/** Starts a host whose tenants are chosen by the first label of the host name: `a.localhost`. */
async function startFleet(
  modules: (id: string, database: Database) => readonly KitModule[] = () => [],
  {
    shutdownDelayMs = 0,
    opening,
    ...options
  }: Pick<TenantsHostOptions, 'metrics'> & { shutdownDelayMs?: number; opening?: Promise<void> } = {},
) {
  const databases = new Map<string, DatabaseConfig>()
  for (const id of ['a', 'b']) {
    const fresh = await openDatabase()
    onTestFinished(() => fresh.drop())
    databases.set(id, { ...databaseDefaults, url: fresh.url })
  }
  databases.set('broken', { ...databaseDefaults, url: 'postgres://nobody@127.0.0.1:1/none' })
  const log = captureLog()
  const host = await startTenants({
    ...options,
    tenants: databases,
    tenantOf: ({ headers }) => /^(\w+)\.localhost/.exec(headers.host ?? '')?.[1],
    async open({ id, database }) {
      await opening
      return { title: id, authenticate: (_c, next) => next(), modules: modules(id, database) }
    },
    config: tenantsDefaults,
    logger: log.logger,
    server: { host: '127.0.0.1', port: 0, shutdownDelayMs },
  })
  onTestFinished(() => host.close({ isImmediate: true }))
  return { host, log, databases }
}

/** Sends a request with this `Host` header, and returns everything that the server sends until it closes the connection. */
async function send({ url }: RunningTenantsHost, host: string, head: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  socket.write(`${head}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  return text
}

const nameRoute = (id: string): KitModule => ({
  name: 'name',
  router: new Hono<KitEnv>().get('/name', (c) => c.text(`this is ${id}`)),
})

test('a request reaches the tenant of its host name', async () => {
  const { host } = await startFleet((id) => [nameRoute(id)])
  expect(await send(host, 'a.localhost', 'GET /name HTTP/1.1')).toContain('this is a')
  expect(await send(host, 'b.localhost', 'GET /name HTTP/1.1')).toContain('this is b')
  expect(host.openCount).toBe(2)
})

test('an unknown tenant is 404, a broken one 503, and both are problem details with a request id', async () => {
  const { host } = await startFleet()
  const unknown = await send(host, 'other.localhost', 'GET /name HTTP/1.1\r\nX-Request-Id: one')
  expect(unknown).toMatch(/^HTTP\/1.1 404 /)
  expect(unknown).toMatch(/^x-request-id: one\r$/im)
  expect(unknown).toMatch(/^referrer-policy: no-referrer\r$/im)
  expect(unknown).toContain('"code":"request.route_not_found"')
  const broken = await send(host, 'broken.localhost', 'GET /name HTTP/1.1')
  expect(broken).toMatch(/^HTTP\/1.1 503 /)
  expect(broken).toMatch(/^retry-after: 1\r$/im)
  expect(broken).toContain('"code":"service.unavailable"')
})

test('the log names a broken tenant once, regardless of the number of its requests and upgrades', async () => {
  const { host, log } = await startFleet()
  const upgrade = 'GET /hub HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket'
  for (const head of ['GET /one HTTP/1.1', 'GET /two HTTP/1.1', upgrade]) {
    expect(await send(host, 'broken.localhost', head)).toMatch(/^HTTP\/1.1 503 /)
  }
  const isLogged = ({ level }: Readonly<Record<string, unknown>>) => level !== 'debug'
  expect(log.entries.filter(isLogged)).toEqual([
    expect.objectContaining({
      level: 'error',
      tenant: 'broken',
      msg: 'The tenant cannot be opened.',
      err: expect.objectContaining({
        type: 'CannotStartError',
        message: expect.stringContaining('ECONNREFUSED'),
      }),
    }),
  ])
})

test('requests without a tenant reach the health of the process, which a broken tenant degrades', async () => {
  const { host } = await startFleet()
  const health = async (path: string) => await (await fetch(`${host.url}${path}`)).json()
  expect(await health('/health/live')).toEqual({ status: 'Healthy' })
  await send(host, 'broken.localhost', 'GET /name HTTP/1.1')
  expect(await health('/health')).toMatchObject({ status: 'Degraded' })
  expect(await health('/health/ready')).toEqual({ status: 'Healthy' })
  expect(await health('/name')).toMatchObject({ code: 'request.route_not_found' })
})

const metrics = { host: '127.0.0.1', port: 0 }
const addressOfMetrics = ({ entries }: ReturnType<typeof captureLog>): string =>
  String(entries.find(({ msg }) => msg === 'Serving metrics.')?.['address'])

test('the metrics contain the health of the process, and the log their address', async () => {
  const { host, log, databases } = await startFleet(() => [], { metrics })
  const address = addressOfMetrics(log)
  const gauge = async (series: RegExp) => series.exec(await (await fetch(address)).text())?.[1]
  const status = () => gauge(/^vertical_kit_health_status\{vertical_kit_health_check="tenants"[^}]*\} (\d)$/m)
  const maxConnections = () => gauge(/^db_client_connection_max\{[^}]*\} (\d+)$/m)
  expect(await status()).toBe('0')
  await send(host, 'broken.localhost', 'GET /name HTTP/1.1')
  expect(await status()).toBe('1')
  // An open tenant adds its own checks.
  await send(host, 'a.localhost', 'GET /name HTTP/1.1')
  expect(await status()).toBe('1')
  expect(await maxConnections()).toBe(String(databaseDefaults.poolMax))
  // The pool of a closed tenant is gone.
  databases.delete('a')
  await expect.poll(maxConnections).toBe('0')
  await host.close()
  await expect(fetch(address)).rejects.toThrow()
})

test('a host that cannot start leaves no server of metrics', async () => {
  const { host } = await startFleet()
  const log = captureLog()
  const second = startTenants({
    ...{
      tenants: new Map(),
      tenantOf: () => undefined,
      config: tenantsDefaults,
      logger: log.logger,
      metrics,
    },
    open: () => ({ title: 'none', authenticate: (_c, next) => next(), modules: [] }),
    server: { host: '127.0.0.1', port: Number(new URL(host.url).port) },
  })
  await expect(second).rejects.toThrow()
  await expect(fetch(addressOfMetrics(log))).rejects.toThrow()
})

test('a socket reaches the modules of its tenant, which attach at the first upgrade', async () => {
  const attached: string[] = []
  const ended = Promise.withResolvers<void>()
  const sockets = (id: string): KitModule => ({
    name: 'sockets',
    attachTo(server) {
      attached.push(id)
      server.on('upgrade', (_request, socket) => socket.end(`HTTP/1.1 101 ${id}\r\n\r\n`))
      return { close: async () => ended.resolve() }
    },
  })
  const { host } = await startFleet((id) => [nameRoute(id), ...(id === 'a' ? [sockets(id)] : [])])
  await send(host, 'a.localhost', 'GET /name HTTP/1.1')
  expect(attached).toEqual([])
  const upgrade = 'GET /hub HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket'
  expect(await send(host, 'a.localhost', upgrade)).toMatch(/^HTTP\/1.1 101 a\r/)
  expect(await send(host, 'a.localhost', upgrade)).toMatch(/^HTTP\/1.1 101 a\r/)
  expect(attached).toEqual(['a'])
  expect(await send(host, 'b.localhost', upgrade)).toMatch(/^HTTP\/1.1 404 /)
  expect(await send(host, 'other.localhost', upgrade)).toMatch(/^HTTP\/1.1 404 /)
  expect(await send(host, 'localhost', upgrade)).toMatch(/^HTTP\/1.1 404 /)
  expect(await send(host, 'broken.localhost', upgrade)).toMatch(/^HTTP\/1.1 503 /)
  await host.close()
  await ended.promise
})

test('a client that disconnects during its upgrade, while its tenant opens, does not end the process', async () => {
  const opening = Promise.withResolvers<void>()
  const { host } = await startFleet((id) => [nameRoute(id)], { opening: opening.promise })
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
  socket.write('GET /hub HTTP/1.1\r\nHost: a.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await expect.poll(() => host.openCount).toBe(1)
  socket.resetAndDestroy()
  // The reset arrives before these requests.
  expect(await send(host, 'localhost', 'GET /health/live HTTP/1.1')).toContain('Healthy')
  opening.resolve()
  expect(await send(host, 'a.localhost', 'GET /name HTTP/1.1')).toContain('this is a')
})

test('a closing host refuses an upgrade on a connection that was open before', async () => {
  const attached: string[] = []
  const [working, stopping] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const goOn = Promise.withResolvers<void>()
  const { host } = await startFleet((id) => [
    nameRoute(id),
    {
      name: 'sockets',
      attachTo() {
        attached.push(id)
        return { close: async () => {} }
      },
      workers: [
        {
          ...{ name: 'work', intervalMs: 1_000 },
          async runOnce(signal) {
            working.resolve()
            await once(signal, 'abort')
            stopping.resolve()
            await goOn.promise
          },
        },
      ],
    },
  ])
  await send(host, 'a.localhost', 'GET /name HTTP/1.1')
  await working.promise
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const closed = host.close()
  await stopping.promise
  socket.write('GET /hub HTTP/1.1\r\nHost: a.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 503 /)
  expect(attached).toEqual([])
  goOn.resolve()
  await closed
})

test('a closing host and its tenants are not ready, and answer requests until the shutdown delay is over', async () => {
  const { host } = await startFleet((id) => [nameRoute(id)], { shutdownDelayMs: 60_000 })
  expect(await send(host, 'a.localhost', 'GET /health/ready HTTP/1.1')).toMatch(/^HTTP\/1.1 200 /)
  // The end of the test closes the host at once.
  void host.close()
  const [own, ofTenant, served] = await Promise.all([
    send(host, 'localhost', 'GET /health/ready HTTP/1.1'),
    send(host, 'a.localhost', 'GET /health/ready HTTP/1.1'),
    send(host, 'a.localhost', 'GET /name HTTP/1.1'),
  ])
  for (const answer of [own, ofTenant]) expect(answer).toMatch(/^HTTP\/1.1 503 /)
  expect(served).toContain('this is a')
})

test('a closing host finishes requests in progress, then closes all tenants', async () => {
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow: KitModule = {
    name: 'slow',
    router: new Hono<KitEnv>().get('/slow', async (c) => {
      reached.resolve()
      await goOn.promise
      return c.text('finished')
    }),
  }
  const { host } = await startFleet(() => [slow])
  const answer = send(host, 'a.localhost', 'GET /slow HTTP/1.1')
  await reached.promise
  const closed = host.close()
  goOn.resolve()
  expect(await answer).toContain('finished')
  await closed
  expect(host.openCount).toBe(0)
  await expect(fetch(host.url)).rejects.toThrow()
})

test('a closing host does not wait for a statement that takes longer than the grace period', async () => {
  const reached = Promise.withResolvers<void>()
  const { host, log } = await startFleet((_id, database) => [
    {
      name: 'slow',
      router: new Hono<KitEnv>().get('/slow', async (c) => {
        const statement = database.read((db) => db.execute(sql`select pg_sleep(20)`))
        reached.resolve()
        await statement
        return c.text('finished')
      }),
    },
  ])
  const answer = send(host, 'a.localhost', 'GET /slow HTTP/1.1')
  await reached.promise
  await host.close()
  expect(await answer).toBe('')
  expect(log.entries).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: 'Statements did not end in time.' }),
  )
})
