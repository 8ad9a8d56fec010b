import type { KitModule } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createLogger, startBackgroundHost } from '@vertical-kit/core-audit/host'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

const start = (modules: readonly KitModule[]) =>
  startBackgroundHost({
    database: createDatabase({ ...databaseDefaults, url: fresh.url }),
    modules,
    logger: createLogger({ level: 'silent' }),
  })

test('a background host runs the workers of a module even if no other module shows its audit events', async () => {
  const ran = Promise.withResolvers<void>()
  const worker = { name: 'a.worker', intervalMs: 60_000, runOnce: async () => ran.resolve() }
  const auditSource = { module: 'a', isVisibleTo: () => true }
  const host = await start([{ name: 'a', auditSource, workers: [worker] }])
  await ran.promise
  await host.close()
})

test('a background host rejects packages of different releases and duplicate modules', async () => {
  const host = start([{ name: 'a', version: '1.3.1' }, { name: 'b' }, { name: 'b' }])
  await expect(host).rejects.toThrow(
    /^These modules do not fit together:\na is 1.3.1 and .*\nb is registered twice$/,
  )
})
