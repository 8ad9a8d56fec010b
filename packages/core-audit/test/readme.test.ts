import { readFile } from 'node:fs/promises'
import { CoreError } from '@vertical-kit/core-audit'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startReadmeExample } from '../../../vitest.readme-example.ts'
import { runSql } from './harness.ts'

const packageFolder = new URL('..', import.meta.url)
const readme = await readFile(new URL('README.md', packageFolder), 'utf8')

test('the example of the README runs as shown and stops cleanly', async () => {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  await runSql(
    database.url,
    'create schema trade; create table trade.items (id uuid primary key, name text not null)',
  )
  const { url, stop } = await startReadmeExample(packageFolder, {
    DATABASE_URL: database.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    PORT: '0',
    SHUTDOWN_DELAY: '00:00:00',
  })
  const token = await issuer.token({ subject: 'ada', name: 'Ada Admin', roles: ['platform-admin'] })
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }

  const created = await fetch(`${url}/api/items`, { method: 'POST', headers, body: '{"name":"Bolt"}' })
  expect(created.status).toBe(201)
  const { id } = (await created.json()) as { id: string }
  const target = new URLSearchParams({ kind: 'CatalogItem', typeCode: 'trade.item', objectId: id })
  const timeline = await fetch(`${url}/api/audit/events?${target}`, { headers })
  expect(await timeline.json()).toMatchObject({
    items: [
      {
        actionCode: 'items.created',
        actor: { displayName: 'Ada Admin' },
        changes: [{ fieldPath: 'name', oldValue: null, newValue: 'Bolt' }],
      },
    ],
  })
  const empty = await fetch(`${url}/api/items`, { method: 'POST', headers, body: '{"name":""}' })
  expect(empty.status).toBe(400)
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)

  expect(await stop()).toEqual([0, null])
})

test('without configuration, the example of the README lists the required keys and exits with 78', async () => {
  await expect(startReadmeExample(packageFolder, {})).rejects.toThrow(
    /\(exit code 78\)\. Its output:\nDATABASE_URL: is required\nOidc__Issuer: is required\nOidc__Audience: is required$/,
  )
})

test('the README has the standard headings and lists every error code of the kernel', () => {
  expect([...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
    'What it is',
    'Mount it',
    'Routes',
    'Errors',
    'Options',
    'Tables',
    'What it does not do',
  ])
  const missing = Object.keys(CoreError.table).filter((code) => !readme.includes(`\`${code}\``))
  expect(missing).toEqual([])
})
