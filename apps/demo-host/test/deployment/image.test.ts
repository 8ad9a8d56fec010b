import { startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import {
  type FreshDatabase,
  freshDatabase,
  type ObjectStore,
  startObjectStore,
} from '@vertical-kit/dev-services'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../../../vitest.free-port.ts'
import { findOptionalPrograms } from '../../../../vitest.optional-programs.ts'
import { expectAnswer } from '../answers.ts'
import { dataFolder, externalStore, requester } from '../demo-process.ts'
import { attach } from '../uploads.ts'
import { buildImage, type Containers } from './containers.ts'

const { missing, isRequired } = findOptionalPrograms().containers

/** The limit of the image, uncompressed. */
const imageLimitBytes = 200_000_000

describe.skipIf(missing.length > 0 && !isRequired)('the image', () => {
  let containers: Containers
  let database: FreshDatabase
  let store: ObjectStore
  let folder: Awaited<ReturnType<typeof dataFolder>>
  let issuer: TestIssuer
  let url: string
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    containers = await buildImage()
    database = await freshDatabase(inject('postgresUrl'))
    issuer = await startTestIssuer()
    folder = await dataFolder()
    store = await startObjectStore({
      directory: folder.path,
      ...{ port: 0, region: 'us-east-1', buckets: ['vertical-kit-attachments'], corsOrigins: [] },
      credentials: [{ accessKeyId: 'demo', secretAccessKey: 'demo-secret-key' }],
    })
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    environment = {
      ...{ DATABASE_URL: database.url, HOST: '127.0.0.1', PORT: `${port}`, SHUTDOWN_DELAY: '00:00:05' },
      ...{ Oidc__Issuer: issuer.oidc.issuer, Oidc__Audience: issuer.oidc.audience },
      ...{ FeatureManagement__Attachments: 'true', ...externalStore(store.url) },
    }
  })
  afterAll(async () => {
    await containers?.close()
    await issuer?.close()
    await store?.close()
    await folder?.remove()
    await database?.drop()
  })

  test('has at most 200 MB, an unprivileged user, and no shell', async () => {
    const format = '{{.Size}} {{.User}}'
    const [size, user] = (
      await containers.podman('image', 'inspect', '--format', format, containers.image)
    ).split(' ')
    console.log(`The image has ${Math.round(Number(size) / 1e6)} MB.`)
    expect(Number(size)).toBeLessThanOrEqual(imageLimitBytes)
    expect(user).toBe('10001:10001')
    await expect(
      containers.podman('run', '--rm', '--network', 'none', '--entrypoint', '/bin/sh', containers.image),
    ).rejects.toThrow('/bin/sh')
  })

  test('reports all problems of its configuration and ends with 78', async () => {
    const host = containers.run([], { PORT: 'x' })
    expect(await host.ended).toBe(78)
    expect(host.output()).toContain('DATABASE_URL: is required')
    expect(host.output()).toContain('PORT: expected a whole number')
  })

  test('migrates, serves and drains with a read-only file system and without capabilities', async () => {
    const early = containers.run([], environment)
    expect(await early.ended).toBe(1)
    expect(early.output()).toContain('0001-create-identity')

    const migration = containers.run(['dist/migrate.js', 'up'], environment)
    expect({ status: await migration.ended, output: migration.output() }).toMatchObject({ status: 0 })

    const host = containers.run([], environment)
    const statusOf = (path: string) => fetch(url + path).then(({ status }) => status, String)
    await expect.poll(() => statusOf('/health/ready')).toBe(200)
    await containers.podman('healthcheck', 'run', host.name)
    expect(await statusOf('/health')).toBe(200)
    const page = await fetch(url)
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])

    const admin = requester(url, await issuer.token({ subject: 'admin', roles: ['platform-admin'] }))
    const body = { name: 'Customer' }
    const { id } = await expectAnswer(admin('POST', '/api/catalogs/trade.customer', { body }), 201)
    const target = { kind: 'CatalogItem', typeCode: 'trade.customer', id }
    const file = { fileName: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('a') }
    expect(await attach(admin, target, file)).toMatchObject({ status: 'ready' })

    await containers.podman('kill', '--signal', 'TERM', host.name)
    await expect.poll(() => statusOf('/health/ready')).toBe(503)
    await expectAnswer(admin('GET', '/api/security/me/access'), 200)
    expect(await host.ended).toBe(0)
  })
})
