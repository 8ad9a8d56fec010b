import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { expect, inject, onTestFinished, test } from 'vitest'
import { targetParameters } from './harness.ts'
import { newReference } from './parents.ts'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))

/** Runs the README's example in a process of its own; resolves with its address once it says that it is ready. */
async function startExample(settings: Readonly<Record<string, string>>): Promise<string> {
  const readme = await readFile(`${packageFolder}/README.md`, 'utf8')
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const child = spawn(
    process.execPath,
    ['--conditions=@vertical-kit/source', '--input-type=module-typescript', '--eval', example],
    {
      cwd: packageFolder,
      env: { PATH: process.env['PATH'], ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('ready ')) return line.slice('ready '.length)
  }
  throw new Error(`The example ended before it was ready: ${complaints}`)
}

/** Makes the vertical's table, with one invoice. */
async function addInvoice(databaseUrl: string, id: string): Promise<void> {
  const database = createDatabase({ ...databaseDefaults, url: databaseUrl })
  await database.transaction(async (tx) => {
    await tx.execute(sql`create schema trade`)
    await tx.execute(sql`create table trade.invoices (id uuid primary key)`)
    await tx.execute(sql`insert into trade.invoices (id) values (${id}::uuid)`)
  })
  await database.close()
}

test('the example of the README runs as shown', async () => {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const target = newReference()
  await addInvoice(database.url, target.id)
  const url = await startExample({
    DATABASE_URL: database.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    FeatureManagement__Notes: 'true',
  })
  const token = await issuer.token({ subject: 'ada', name: 'Ada Admin', roles: ['platform-admin'] })
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }

  const created = await fetch(`${url}/api/notes`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ target, text: 'Call back' }),
  })
  expect(created.status).toBe(201)
  const list = await fetch(`${url}/api/notes?${targetParameters(target)}`, { headers })
  expect(await list.json()).toMatchObject({
    items: [{ text: 'Call back', createdByDisplayName: 'Ada Admin' }],
  })
  const summary = await fetch(`${url}/api/business-objects/content-summary?${targetParameters(target)}`, {
    headers,
  })
  expect(await summary.json()).toEqual({ attachments: null, notes: 1 })
  const timeline = await fetch(`${url}/api/audit/events?${targetParameters(target)}`, { headers })
  expect(await timeline.json()).toMatchObject({ items: [{ actionCode: 'notes.created' }] })
  const elsewhere = await fetch(`${url}/api/notes?${targetParameters(newReference())}`, { headers })
  expect(elsewhere.status).toBe(404)
})
