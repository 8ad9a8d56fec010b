import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { coreMigrations } from '@vertical-kit/core-audit/database'
import { migrationTemplate, startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { notesMigrations } from '@vertical-kit/notes'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startExample } from '../../vitest.readme-example.ts'

/** Creates the product in the database of a tenant. */
async function addProduct(url: string, id: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create schema shop; create table shop.products (id uuid primary key)')
  await client.query('insert into shop.products values ($1)', [id])
  await client.end()
}

test('one process serves two tenants with separate data, users and tokens', async () => {
  const template = await migrationTemplate('many_tenants', [coreMigrations, notesMigrations])
  const databases = await Promise.all([1, 2].map(() => freshDatabase(inject('postgresUrl'), { template })))
  onTestFinished(async () => void (await Promise.all(databases.map((database) => database.drop()))))
  const [acme = '', globex = ''] = databases.map(({ name }) => name)
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const { url, stop } = await startExample(new URL('../many-tenants.ts', import.meta.url), {
    TENANTS: `${acme},${globex}`,
    DATABASE_URL: inject('postgresUrl'),
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: 'shop',
    FeatureManagement__Notes: 'true',
    PORT: '0',
    SHUTDOWN_DELAY: '00:00:00',
  })
  const as = async (tenant: string) => {
    const token = await issuer.token({
      ...{ subject: 'ada', roles: ['platform-admin'], audience: `shop/${tenant}` },
    })
    return async (host: string, path: string, body?: object) => {
      const headers = { Host: `${host}.example.com`, Authorization: `Bearer ${token}` }
      const sent = request(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
      })
      sent.end(body === undefined ? undefined : JSON.stringify(body))
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: response.statusCode, body: await json(response) }
    }
  }
  const [adaOfAcme, adaOfGlobex] = [await as(acme), await as(globex)]

  const target = { kind: 'CatalogItem', typeCode: 'shop.product', id: randomUUID() }
  for (const { url } of databases) await addProduct(url, target.id)
  expect(await adaOfAcme(acme, '/api/notes', { target, text: 'Only for Acme' })).toMatchObject({
    status: 201,
  })
  const list = `/api/notes?kind=CatalogItem&typeCode=shop.product&objectId=${target.id}`
  expect(await adaOfAcme(acme, list)).toMatchObject({ body: { items: [{ text: 'Only for Acme' }] } })
  expect(await adaOfGlobex(globex, list)).toMatchObject({ status: 200, body: { items: [] } })
  const missing = list.replace(target.id, randomUUID())
  expect(await adaOfAcme(acme, missing)).toMatchObject({ status: 404 })
  expect(await adaOfGlobex(acme, list)).toMatchObject({ status: 401 })
  expect(await adaOfAcme('initech', list)).toMatchObject({ status: 404 })
  expect(await stop()).toEqual([0, null])
})

test('without configuration, the process lists the required keys and exits with 78', async () => {
  await expect(startExample(new URL('../many-tenants.ts', import.meta.url), {})).rejects.toThrow(
    /\(exit code 78\)\. Its output:\nTENANTS: is required\nDATABASE_URL: is required\n/,
  )
})
