import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startReadmeExample } from '../../../vitest.readme-example.ts'
import { targetParameters } from './harness.ts'
import { newReference } from './parents.ts'

/** Creates the table of the vertical and adds one invoice. */
async function addInvoice(databaseUrl: string, id: string): Promise<void> {
  const database = createDatabase({ ...databaseDefaults, url: databaseUrl })
  await database.transaction(async (tx) => {
    await tx.execute(sql`create schema trade`)
    await tx.execute(sql`create table trade.invoices (id uuid primary key)`)
    await tx.execute(sql`insert into trade.invoices (id) values (${id}::uuid)`)
  })
  await database.close()
}

test('the host of the README example starts, and an administrator can add a note', async () => {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const target = newReference()
  await addInvoice(database.url, target.id)
  const { url } = await startReadmeExample(new URL('..', import.meta.url), {
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
