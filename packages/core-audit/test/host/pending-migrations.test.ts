import { randomBytes } from 'node:crypto'
import type { KitModule } from '@vertical-kit/core-audit'
import { coreMigrations, type Database, type MigrationPack, migrate } from '@vertical-kit/core-audit/database'
import {
  createApplication,
  createLogger,
  migrationsOf,
  startBackgroundHost,
  startHost,
} from '@vertical-kit/core-audit/host'
import { recordStatements } from '@vertical-kit/core-audit/testing'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { emptyDatabase, rewritePack, shopFiles, writePack } from '../database/migration-packs.ts'
import { openPool, runSql } from '../harness.ts'

const logger = createLogger({ level: 'silent' })
const server = { host: '127.0.0.1', port: 0 }
const shopModule = (shop: MigrationPack): KitModule => ({ name: 'shop', migrations: shop })

/** The options of a host of the shop. `prepared` counts how often the host called `prepare`. */
function compose(database: Database, shop: MigrationPack) {
  let prepared = 0
  return {
    title: 'Shop',
    ...{ database, logger, server },
    authenticate: (_c: unknown, next: () => Promise<void>) => next(),
    modules: [shopModule(shop)],
    async prepare() {
      prepared += 1
    },
    get prepared() {
      return prepared
    },
  }
}

const pendingNames = `Run "migrate up" before the host starts: these migrations are pending.
shop/0001-create-shop.sql
shop/0002-add-names.sql`

describe.each([
  ['a host', startHost],
  ['a background host', startBackgroundHost],
] as const)('%s', (_what, start) => {
  test('does not start with pending migrations; the error names them and the command to run', async () => {
    const url = await emptyDatabase()
    const shop = await writePack('shop', shopFiles)
    await migrate({ databaseUrl: url, packs: [coreMigrations] })
    const composed = compose(openPool(url), shop)
    await expect(start(composed)).rejects.toMatchObject({ name: 'MigrationsError', message: pendingNames })
    expect(composed.prepared).toBe(0)
    await expect(composed.database.read(async () => {})).rejects.toThrow()
  })

  test('does not start on an empty database; the error names the migrations of the kernel', async () => {
    const composed = compose(openPool(await emptyDatabase()), await writePack('shop', shopFiles))
    await expect(start(composed)).rejects.toThrow('@vertical-kit/core-audit/0001-create-identity.sql\n')
  })

  test('starts when all migrations are applied, and checks them with two statements', async () => {
    const url = await emptyDatabase()
    const shop = await writePack('shop', shopFiles)
    await migrate({ databaseUrl: url, packs: migrationsOf([shopModule(shop)]) })
    const recorded = recordStatements()
    const composed = compose(recorded.observe(openPool(url)), shop)
    const host = await start(composed)
    expect(composed.prepared).toBe(1)
    // The worker for the partitions of the audit log can have begun.
    const ofStart = recorded.statements.filter(
      ({ queryChunks }) => !JSON.stringify(queryChunks).includes('audit_partitions'),
    )
    expect(ofStart).toHaveLength(2)
    await host.close()
  })
})

describe('a host of an older release', () => {
  const started = async (newest: string) => {
    const url = await emptyDatabase()
    const shop = await writePack('shop', { ...shopFiles, '0003-newest.sql': newest })
    await migrate({ databaseUrl: url, packs: migrationsOf([shopModule(shop)]) })
    await rewritePack(shop, { '0003-newest.sql': null })
    const host = await startHost(compose(openPool(url), shop))
    await host.close()
    return host.url
  }

  test('starts if newer migrations are compatible', async () => {
    expect(await started('-- Nothing.\n-- compatible: older releases keep working\n')).toContain('http://')
  })

  test('does not start if a newer migration is incompatible', async () => {
    await expect(started('select 1;')).rejects.toThrow(
      'Migration shop/0003-newest.sql was applied to this database but is not in this release.',
    )
  })
})

test('a host that cannot read the ledger does not start, and the error names the missing grant', async () => {
  const url = new URL(await emptyDatabase())
  const shop = await writePack('shop', shopFiles)
  await migrate({ databaseUrl: url.href, packs: migrationsOf([shopModule(shop)]) })
  const role = `reader_${randomBytes(6).toString('hex')}`
  await runSql(
    url.href,
    `create role ${role} login password 'reader'; grant usage on schema core_audit to ${role}`,
  )
  onTestFinished(() => runSql(inject('postgresUrl'), `drop role ${role}`))
  const owner = url.href
  Object.assign(url, { username: role, password: 'reader' })
  const start = () => startHost(compose(openPool(url.href), shop))
  await expect(start()).rejects.toThrow('grant select on core_audit.migrations')
  await runSql(owner, `grant select on core_audit.migrations to ${role}`)
  await (await start()).close()
  await runSql(owner, `drop owned by ${role}`)
})

describe('readiness of a host created with createApplication', () => {
  const ask = async (database: Database, shop: MigrationPack) => {
    const app = createApplication(compose(database, shop))
    return async (path: string) => {
      const response = await app.request(path)
      return { status: response.status, body: (await response.json()) as unknown }
    }
  }

  test('reports pending migrations until they are applied; later checks use one statement', async () => {
    const url = await emptyDatabase()
    const shop = await writePack('shop', shopFiles)
    await migrate({ databaseUrl: url, packs: [coreMigrations] })
    const recorded = recordStatements()
    const request = await ask(recorded.observe(openPool(url)), shop)
    expect(await request('/health/ready')).toEqual({
      status: 503,
      body: { status: 'Unhealthy', detail: pendingNames },
    })
    expect(await request('/health')).toMatchObject({
      status: 503,
      body: {
        status: 'Unhealthy',
        entries: { database: { status: 'Unhealthy', detail: pendingNames } },
      },
    })

    await migrate({ databaseUrl: url, packs: migrationsOf([shopModule(shop)]) })
    const ready = { status: 200, body: { status: 'Healthy' } }
    expect(await request('/health/ready')).toEqual(ready)
    const before = recorded.statements.length
    expect(await request('/health/ready')).toEqual(ready)
    expect(recorded.statements).toHaveLength(before + 1)
  })

  test('contains no details if the ledger cannot be read', async () => {
    const shop = await writePack('shop', shopFiles)
    const request = await ask(openPool('postgres://nobody:canary@127.0.0.1:1/none'), shop)
    expect(await request('/health/ready')).toEqual({ status: 503, body: { status: 'Unhealthy' } })
  })
})

test('migrationsOf returns the kernel’s migrations, then those of each module in order, without duplicates', async () => {
  const shop = await writePack('shop', shopFiles)
  const modules: readonly KitModule[] = [
    { name: 'desk', migrations: { ...shop, name: 'desk' } },
    { name: 'nothing' },
    { name: 'identity', migrations: coreMigrations },
    { name: 'shop', migrations: shop },
    { name: 'shop front', migrations: { ...shop } },
  ]
  expect(migrationsOf(modules).map(({ name }) => name)).toEqual(['@vertical-kit/core-audit', 'desk', 'shop'])
  expect(migrationsOf([]).map(({ name }) => name)).toEqual(['@vertical-kit/core-audit'])
})
