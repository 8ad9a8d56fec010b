import { randomUUID } from 'node:crypto'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startExample } from '../../vitest.readme-example.ts'

interface Draft {
  readonly id: string
  readonly version: number
}

async function openHost() {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const example = await startExample(new URL('../small-host.ts', import.meta.url), {
    DATABASE_URL: database.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    WorkCenter__OutboxPollInterval: '00:00:01',
    PORT: '0',
    SHUTDOWN_DELAY: '00:00:00',
  })
  const as = async (subject: string, roles: readonly string[] = []) => {
    const token = await issuer.token({ subject, name: subject, roles })
    return async (path: string, body?: object, headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(`${example.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as never }
    }
  }
  return { ...example, as }
}

test('posting a document creates a task for the members of a role, and one member can claim the task', async () => {
  const { as, stop } = await openHost()
  const admin = await as('ada', ['platform-admin'])
  const [erin, max] = [await as('erin'), await as('max')]

  expect(await max('/api/leave', { days: 5 })).toMatchObject({ status: 403 })
  for (const days of ['five', -1, 0, 1e15]) {
    expect(await erin('/api/leave', { days })).toMatchObject({
      status: 400,
      body: { code: 'request.invalid' },
    })
  }
  const draft: Draft = (await erin('/api/leave', { days: 5 })).body
  const post = `/api/documents/staff.leave/${draft.id}/actions/post`
  const key = { 'Idempotency-Key': 'leave-posted-1' }
  expect(await erin(post, { expectedVersion: draft.version }, key)).toMatchObject({ status: 200 })

  const timeline = `/api/audit/events?kind=Document&typeCode=staff.leave&objectId=${draft.id}`
  expect(await admin(timeline)).toMatchObject({
    status: 200,
    body: { items: [{ actionCode: 'post' }, { actionCode: 'documents.created' }] },
  })

  expect(await admin(timeline.replace(draft.id, randomUUID()))).toMatchObject({ status: 404 })

  const tasks = async () => (await max('/api/work-center/items?tab=tasks')).body
  await expect.poll(tasks).toMatchObject({ items: [{ title: 'Decide on leave' }] })
  const { items }: { readonly items: readonly Draft[] } = await tasks()
  const claimed = await max(`/api/work-center/tasks/${items[0]?.id}/claim`, {
    expectedVersion: items[0]?.version,
  })
  expect(claimed).toMatchObject({ status: 200, body: { id: items[0]?.id } })
  expect(await stop()).toEqual([0, null])
})

test('without configuration, the host lists the required keys and exits with 78', async () => {
  await expect(startExample(new URL('../small-host.ts', import.meta.url), {})).rejects.toThrow(
    /\(exit code 78\)\. Its output:\nDATABASE_URL: is required\nOidc__Issuer: is required\nOidc__Audience: is required$/,
  )
})
