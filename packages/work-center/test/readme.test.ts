import { readFile } from 'node:fs/promises'
import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { newId } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type ReadmeExample, startReadmeExample } from '../../../vitest.readme-example.ts'
import { readWorkCenterConfig } from '../src/config.ts'
import type { Item, ItemPage, Summary } from '../src/contract.ts'
import { WorkCenterError } from '../src/errors.ts'
import { readRealtimeConfig } from '../src/realtime/config.ts'
import { RealtimeError } from '../src/realtime/errors.ts'
import { expectJson } from './harness.ts'

const packageFolder = new URL('..', import.meta.url)

/** The example of the README with a separate database, and functions that send requests of its users. */
interface Example extends ReadmeExample {
  readonly databaseUrl: string
  request(subject: string, method: 'GET' | 'POST', path: string, body?: object): Promise<Response>
  token(subject: string): Promise<string>
}

async function openExample(): Promise<Example> {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const fresh = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => fresh.drop())
  const example = await startReadmeExample(packageFolder, {
    DATABASE_URL: fresh.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    WorkCenter__OutboxPollInterval: '00:00:01',
    // This interval is longer than the test, so pages receive versions only through announcements.
    WorkCenter__RealtimeCheckInterval: '00:01:00',
  })
  const token = (subject: string) => issuer.token({ subject, name: subject })
  return {
    ...example,
    databaseUrl: fresh.url,
    token,
    request: async (subject, method, path, body) =>
      fetch(`${example.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${await token(subject)}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  }
}

/** Appends the event that the vertical of the example appends when a lease ends. */
async function endLease(databaseUrl: string, data: Readonly<Record<string, unknown>>): Promise<void> {
  const database = createDatabase({ ...databaseDefaults, url: databaseUrl })
  try {
    await database.transaction((tx) =>
      createOutbox({ database, config: outboxDefaults }).append(tx, {
        type: 'property.lease.ended',
        source: 'property',
        subject: `document/property.lease/${data['leaseId']}`,
        actorUserId: null,
        correlationId: null,
        causationId: null,
        schemaVersion: 1,
        data,
      }),
    )
  } finally {
    await database.close()
  }
}

/** Waits until all earlier events were handled. They are events of the roles and users that the example creates. */
const settled = ({ url }: Example) =>
  expect
    .poll(async () => (await fetch(`${url}/health`)).json())
    .toMatchObject({ status: 'Healthy', entries: { workCenterOutbox: { pendingCount: 0 } } })

/** Connects a page of this user to the hub. Returns a function that resolves with the next received version. */
async function openPage(example: Example, subject: string): Promise<() => Promise<number>> {
  const client = new HubConnectionBuilder()
    .withUrl(`${example.url}/hubs/work-center`, {
      accessTokenFactory: () => example.token(subject),
      transport: HttpTransportType.WebSockets,
    })
    .configureLogging(LogLevel.None)
    .build()
  onTestFinished(() => client.stop())
  const versions: number[] = []
  client.on('workCenterChanged', (version: number) => versions.push(version))
  await client.start()
  return async () => {
    await expect.poll(() => versions).not.toEqual([])
    return versions.shift() as number
  }
}

test('the README example runs as shown: an event creates a task and a notification, and pages receive versions', async () => {
  const example = await openExample()
  const ask = async <T>(subject: string, path: string) =>
    expectJson<T>(await example.request(subject, 'GET', `/api/work-center/${path}`))
  await settled(example)
  const [cora, max] = [await openPage(example, 'cora'), await openPage(example, 'max')]
  expect([await cora(), await max()]).toEqual([0, 0])

  const leaseId = newId()
  const endsAtUtc = '2999-12-31T12:00:00.000Z'
  await endLease(example.databaseUrl, { leaseId, flat: 'Elm Street 3', endsAtUtc })
  expect([await cora(), await max()]).toEqual([1, 1])

  const source = { resourceKind: 'document', resourceCode: 'property.lease', entityId: leaseId }
  const target = { code: 'property.lease', parameters: { leaseId } }
  const tasks = await ask<ItemPage>('cora', 'items')
  expect(tasks.items).toMatchObject([
    {
      ...{ kind: 'Task', code: 'property.inspect_flat', title: 'Inspect Elm Street 3', taskStatus: 'Open' },
      ...{ priority: 'High', dueAtUtc: endsAtUtc, source, target, assignment: { isRoleAssigned: true } },
    },
  ])
  expect(await ask<Summary>('cora', 'summary')).toMatchObject({ openTaskCount: 1, version: 1 })
  const notifications = await ask<ItemPage>('max', 'items')
  expect(notifications.items).toMatchObject([
    { kind: 'Notification', code: 'property.lease_ended', severity: 'Information', source, target },
  ])

  const task = tasks.items[0] as Item
  const body = { expectedVersion: task.version }
  const claimed = await example.request('cora', 'POST', `/api/work-center/tasks/${task.id}/claim`, body)
  expect(await expectJson<Item>(claimed)).toMatchObject({ id: task.id, taskStatus: 'InProgress' })
  expect(await cora()).toBe(2)
  expect(await ask<Summary>('max', 'summary')).toMatchObject({ unreadNotificationCount: 1, version: 1 })
  expect(await example.stop()).toEqual([0, null])
})

test('the README contains the expected headings, all error codes and all configuration keys', async () => {
  const readme = await readFile(new URL('README.md', packageFolder), 'utf8')
  expect([...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
    'What it is',
    'Mount it',
    'Routes',
    'Errors',
    'Options',
    'Tables',
    'What it does not do',
  ])
  const codes = [...Object.keys(WorkCenterError.table), ...Object.keys(RealtimeError.table)]
  expect(codes.filter((code) => !readme.includes(`\`${code}\``))).toEqual([])
  const documented = [...readme.matchAll(/^\| `(WorkCenter__\w+)` \|/gm)].map(([, key]) => key)
  expect(documented.sort()).toEqual(keysRead().sort())
})

/** Lists the configuration keys that the package reads. */
function keysRead(): string[] {
  const keys: string[] = []
  const read = (answer: unknown) => (key: string) => {
    keys.push(key)
    return answer
  }
  const environment = { durationMs: read(1), integer: read(1), string: read('') }
  readWorkCenterConfig(environment as never)
  readRealtimeConfig(environment as never)
  return keys
}
