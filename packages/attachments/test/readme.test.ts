import { startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startReadmeExample } from '../../../vitest.readme-example.ts'
import {
  downloadedText,
  expectJson,
  hello,
  newTarget,
  openStore,
  put,
  storageEnvironment,
} from './harness.ts'

/** Starts the example of the README with a new database and returns the URL of its host. */
async function startExample(issuer: TestIssuer, settings: Readonly<Record<string, string>>): Promise<string> {
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const { url } = await startReadmeExample(new URL('..', import.meta.url), {
    DATABASE_URL: database.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    ...settings,
  })
  return url
}

test('a client can upload and download a file with the host of the README example', async () => {
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

test('while the feature is off, the host of the README example starts without a store', async () => {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const url = await startExample(issuer, {})
  const headers = { Authorization: `Bearer ${await issuer.token({ subject: 'clerk' })}` }
  const response = await fetch(`${url}/api/attachments`, { headers })
  expect(await response.json()).toMatchObject({ code: 'feature.disabled' })
})
