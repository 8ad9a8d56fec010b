import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { CoreError } from '@vertical-kit/core-audit'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'
import { runSql } from './harness.ts'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(`${packageFolder}/README.md`, 'utf8')

/** Runs the README's example in a process of its own, until it says that it is ready. */
async function startExample(settings: Readonly<Record<string, string>>) {
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const child = spawn(
    process.execPath,
    ['--conditions=@vertical-kit/source', '--input-type=module-typescript', '--eval', example],
    {
      cwd: packageFolder,
      env: { PATH: process.env['PATH'], ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('ready ')) return { child, exited, url: line.slice('ready '.length) }
  }
  throw new Error('The example ended before it was ready')
}

test('the example of the README runs as shown, and ends when it is told to', async () => {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  await runSql(
    database.url,
    'create schema trade; create table trade.items (id uuid primary key, name text not null)',
  )
  const { child, exited, url } = await startExample({
    DATABASE_URL: database.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    PORT: '0',
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

  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})

test('the README has its headings, and every code of the kernel', () => {
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
