import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase, startObjectStore } from '@vertical-kit/dev-services'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startExample } from '../../vitest.readme-example.ts'

const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret-key' }

/** Starts the example with its own store and database. `send` sends requests of the user Bill. */
async function openShop() {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const directory = await mkdtemp(join(tmpdir(), 'example-store-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const store = await startObjectStore({ directory, buckets: ['shop'], credentials: [credentials] })
  onTestFinished(() => store.close())
  const fresh = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => fresh.drop())
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(
    'create schema shop; create table shop.invoices (id uuid primary key, number text unique)',
  )
  const example = await startExample(new URL('../server-attaches-pdf.ts', import.meta.url), {
    DATABASE_URL: fresh.url,
    PORT: '0',
    SHUTDOWN_DELAY: '00:00:00',
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    Attachments__Storage__InternalEndpoint: store.url,
    Attachments__Storage__PublicEndpoint: store.url,
    Attachments__Storage__Bucket: 'shop',
    Attachments__Storage__AccessKey: credentials.accessKeyId,
    Attachments__Storage__SecretKey: credentials.secretAccessKey,
    Attachments__Storage__AllowInsecureHttp: 'true',
  })
  const token = await issuer.token({ subject: 'bill', name: 'Bill' })
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${example.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  /** Returns the names of all files of the store. */
  const stored = async () => (await readdir(directory, { recursive: true })).toSorted()
  return { ...example, client, send, stored }
}

test('of several requests that post an invoice at the same time, one succeeds', async () => {
  const { send, stop, client } = await openShop()
  const body = { id: randomUUID(), number: 'INV-1' }
  const sent = await Promise.all(Array.from({ length: 5 }, () => send('POST', '/api/invoices/post', body)))
  expect(sent.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
  expect((await client.query('select target_id from attachments.attachments')).rows).toHaveLength(1)
  expect(await stop()).toEqual([0, null])
})

test('posting an invoice attaches its PDF without an upload by the user, and a failed posting attaches nothing', async () => {
  const { send, stop, client, stored } = await openShop()
  const id = randomUUID()
  const posted = await send('POST', '/api/invoices/post', { id, number: 'INV-1' })
  expect(posted).toMatchObject({
    status: 201,
    body: { fileName: 'INV-1.pdf', contentType: 'application/pdf', status: 'ready', target: { id } },
  })

  const { body } = await send('POST', `/api/attachments/${posted.body['id']}/download`)
  const bytes = await (await fetch(String(body['url']))).text()
  expect(bytes).toBe('%PDF-1.7\n% Invoice INV-1\n%%EOF\n')

  const timeline = await send('GET', `/api/audit/events?kind=Document&typeCode=shop.invoice&objectId=${id}`)
  expect(timeline.status).toBe(403)

  // A repeated request and a used number are refused before a second file is stored.
  const before = await stored()
  for (const [body, status] of [
    [{ id, number: 'INV-1' }, 409],
    [{ id: randomUUID(), number: 'INV-1' }, 409],
    [{ id: randomUUID(), number: 'INV-\0' }, 400],
    [{ id: randomUUID(), number: ' ' }, 400],
  ] as const) {
    expect((await send('POST', '/api/invoices/post', body)).status).toBe(status)
  }
  expect(await stored()).toEqual(before)
  const rows = await client.query('select target_id from attachments.attachments')
  expect(rows.rows).toEqual([{ target_id: id }])
  expect(await stop()).toEqual([0, null])
})
