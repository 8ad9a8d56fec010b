import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'
import {
  downloadedText,
  expectJson,
  hello,
  newTarget,
  openStore,
  put,
  storageEnvironment,
} from './harness.ts'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))

/** Runs the README's example in a process of its own; resolves with its address once it says that it is ready. */
async function startExample(issuer: TestIssuer, settings: Readonly<Record<string, string>>): Promise<string> {
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const readme = await readFile(`${packageFolder}/README.md`, 'utf8')
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const child = spawn(
    process.execPath,
    ['--conditions=@vertical-kit/source', '--input-type=module-typescript', '--eval', example],
    {
      cwd: packageFolder,
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: database.url,
        Oidc__Issuer: issuer.oidc.issuer,
        Oidc__Audience: issuer.oidc.audience,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('ready ')) return line.slice('ready '.length)
  }
  throw new Error('The example ended before it was ready')
}

test('the example of the README runs as shown, over HTTP from reservation to download', async () => {
  const [issuer, store] = [await startTestIssuer(), await openStore()]
  onTestFinished(async () => {
    await issuer.close()
    await store.close()
  })
  const url = await startExample(issuer, {
    FeatureManagement__Attachments: 'true',
    ...storageEnvironment(store.url),
  })
  const token = await issuer.token({ subject: 'root', roles: ['platform-admin'] })
  const request = (method: string, path: string, { body }: { body?: unknown } = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const reserved = await request('POST', '/api/attachments/uploads', {
    body: { target: newTarget(), ...hello },
  })
  const upload = await expectJson<Parameters<typeof put>[0]>(reserved, 201)
  await put(upload, 'hello')
  const completed = await Promise.all(
    [1, 2].map(() => request('POST', `/api/attachments/${upload.attachment.id}/complete`)),
  )
  expect(completed.map(({ status }) => status)).toEqual([200, 200])
  expect(await downloadedText(request, upload.attachment.id)).toBe('hello')
})

test('the example of the README runs without a store while the feature is off', async () => {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const url = await startExample(issuer, {})
  const headers = { Authorization: `Bearer ${await issuer.token({ subject: 'clerk' })}` }
  const response = await fetch(`${url}/api/attachments`, { headers })
  expect(await response.json()).toMatchObject({ code: 'feature.disabled' })
})
