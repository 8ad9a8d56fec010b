import { createServer } from 'node:net'
import type { KitModule } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { type Finding, failed, warning } from '@vertical-kit/core-audit/doctor'
import { type HostOptions, startHost } from '@vertical-kit/core-audit/host'
import { createIdentity, oidcTokens } from '@vertical-kit/core-audit/identity'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { captureLog } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

/** Starts a host for one test and returns it with its log. */
async function start(modulesOf: (database: HostOptions['database']) => readonly KitModule[]) {
  const log = captureLog()
  const database = createDatabase({ ...databaseDefaults, url: fresh.url })
  const host = await startHost({
    ...{ title: 'Host', database, modules: modulesOf(database), logger: log.logger },
    authenticate: (_c, next) => next(),
    server: { host: '127.0.0.1', port: 0 },
  })
  return { host, log }
}

const quick = (run: () => Promise<Finding>): KitModule => ({
  name: 'shop',
  doctor: async () => [{ name: 'shop.till', isQuick: true, run }],
})

test('a host with a wrong issuer starts, and logs the problem with its change', async () => {
  const oidc = {
    issuer: 'http://127.0.0.1:1',
    audience: 'a',
    rolesClaim: 'roles',
    administratorRole: 'admin',
    roleMap: new Map(),
    furtherIssuers: new Map(),
  }
  const { host, log } = await start((database) => [
    createIdentity({
      ...{ database, modules: [], administratorRoleCodes: [], tokens: oidcTokens(oidc, database.clock) },
      outbox: createOutbox({ database, config: outboxDefaults }),
    }),
  ])
  onTestFinished(() => host.close())
  expect((await fetch(`${host.url}/health/ready`)).status).toBe(200)
  await expect
    .poll(() => log.entries.filter(({ check }) => check === 'identity.discovery'))
    .toEqual([
      expect.objectContaining({
        level: 'warn',
        status: 'failed',
        change: expect.stringContaining('Oidc__Issuer'),
      }),
    ])
})

test('the log of a start contains failures, but no warnings', async () => {
  const { host, log } = await start(() => [
    quick(async () => warning('Old.', 'Replace it.')),
    {
      name: 'broken',
      doctor: async () => [
        { name: 'shop.door', isQuick: true, run: async () => failed('Shut.', 'Open it.') },
      ],
    },
  ])
  onTestFinished(() => host.close())
  const own = () => log.entries.filter(({ check }) => String(check).startsWith('shop.'))
  await expect
    .poll(own)
    .toEqual([expect.objectContaining({ check: 'shop.door', level: 'warn', msg: 'Shut.' })])
})

test('only quick checks run at the start', async () => {
  const run = vi.fn(async () => failed('Slow.', 'Nothing.'))
  const started = Promise.withResolvers<Finding>()
  const { host } = await start(() => [
    { name: 'slow', doctor: async () => [{ name: 'shop.slow', run }] },
    quick(() => {
      started.resolve(failed('Quick.', 'Nothing.'))
      return started.promise
    }),
  ])
  onTestFinished(() => host.close())
  await started.promise
  expect(run).not.toHaveBeenCalled()
})

test('a check without an answer delays neither the start nor the end of a host', async () => {
  const asked = Promise.withResolvers<void>()
  const silent = createServer(() => asked.resolve())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as { port: number }
  const { host, log } = await start(() => [
    quick(async () => {
      await fetch(`http://127.0.0.1:${port}`)
      return failed('Never returned.', 'Nothing.')
    }),
  ])
  // The host already serves requests while the check waits.
  await asked.promise
  expect((await fetch(`${host.url}/health/ready`)).status).toBe(200)
  await host.close()
  expect(log.entries.filter(({ check }) => check === 'shop.till')).toEqual([])
})
