import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment, type TestAccount } from './deployment.ts'
import { connect, connectAndGreet, end, handshake, refusalOf } from './raw-client.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
let isBroken = false
beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

/** Wraps a database so that it fails while `isBroken` is true. The error contains a value that must not be logged. */
const fragile = (database: Database): Database => {
  const fail = (text: string) => database.read((db) => db.execute(sql`select ${text}::int`)) as never
  return {
    ...database,
    read: (work) => (isBroken ? fail('canary-of-a-read') : database.read(work)),
    statement: (work) => (isBroken ? fail('canary-of-a-statement') : database.statement(work)),
  }
}

const parameter = (token: string) => `access_token=${encodeURIComponent(token)}`

async function negotiateAndMore({ url }: Replica, token: string): Promise<readonly number[]> {
  const hub = `${url}/hubs/work-center`
  const requests = [
    fetch(`${hub}/negotiate?${parameter(token)}`, { method: 'POST' }),
    fetch(`${hub}/negotiate?${parameter(`${token}x`)}`, { method: 'POST' }),
    fetch(`${hub}/negotiate?${parameter(token)}`, { method: 'POST', headers: { Origin: 'null' } }),
    fetch(`${hub}/negotiate?${parameter(token)}`),
    fetch(`${hub}?${parameter(token)}`),
    fetch(`${hub}/elsewhere?${parameter(token)}`),
  ]
  return (await Promise.all(requests)).map(({ status }) => status)
}

async function upgrade(replica: Replica, token: string, inactive: TestAccount): Promise<void> {
  const outcomes = [
    await refusalOf(connect(replica, { token: `${token}x`, isInQuery: true })),
    await refusalOf(connect(replica, { token, isInQuery: true, headers: { Origin: 'https://evil.com' } })),
    await refusalOf(connect(replica, { token: await deployment.token(inactive), isInQuery: true })),
    await refusalOf(connect({ url: `${replica.url}/elsewhere` }, { token, isInQuery: true })),
  ]
  expect(outcomes.map(([status]) => status)).toEqual([401, 403, 403, 404])
}

async function misbehave(replica: Replica, token: string): Promise<void> {
  for (const text of [
    token,
    `${handshake}{"type":1,"invocationId":1,"arguments":["${token}"]}`,
    'x'.repeat(5_000),
  ]) {
    const client = await connect(replica, { token, isInQuery: true })
    client.send(text + end)
    await client.closed()
  }
}

async function useSignalR({ url }: Replica, token: string): Promise<void> {
  const client = new HubConnectionBuilder()
    .withUrl(`${url}/hubs/work-center`, {
      accessTokenFactory: () => token,
      transport: HttpTransportType.WebSockets,
    })
    .configureLogging(LogLevel.None)
    .build()
  await client.start()
  await client.invoke('say', token).catch(() => {})
  await client.stop()
}

test('no log line contains a token, a query or a message of the database', async () => {
  const replica = await deployment.openReplica({ observe: fragile, config: { checkIntervalMs: 5 } })
  const account = await deployment.addAccount()
  const inactive = await deployment.addAccount()
  await deployment.deactivate(inactive)
  const token = await deployment.token(account)
  expect(await negotiateAndMore(replica, token)).toEqual([200, 401, 403, 405, 404, 404])
  await upgrade(replica, token, inactive)
  await misbehave(replica, token)
  await useSignalR(replica, token)
  await connectAndGreet(replica, token)
  isBroken = true
  replica.realtime.publish(new Map([[account.userId, 1]]))
  const hasLogged = (text: string) => replica.logLines.some((line) => line.includes(text))
  for (const text of ['Announcing versions failed', 'Reading versions failed', 'The cycle failed']) {
    await expect.poll(() => hasLogged(text), { interval: 5 }).toBe(true)
  }
  await replica.close()

  const lines = replica.logLines.join('')
  // The log contains the codes of the refusals and the reasons for which connections ended.
  for (const text of [
    'auth.required',
    'work_center.origin_refused',
    'auth.inactive',
    '"reason":"malformed"',
  ]) {
    expect(lines).toContain(text)
  }
  for (const [header, payload, signature] of [token.split('.')]) {
    for (const part of [payload, signature]) expect(lines).not.toContain(part)
    expect(lines).not.toContain(`${header}.`)
  }
  for (const secret of ['access_token', 'canary-of', new URL(deployment.databaseUrl).password]) {
    expect(lines).not.toContain(secret)
  }
})

test('an unexpected error during an upgrade responds with 500, and is logged once without the requested URL', async () => {
  const replica = await deployment.openReplica()
  const account = await deployment.addAccount()
  const token = await deployment.token(account)
  await deployment.operator`alter table core_audit.users rename to users_away`
  const refusal = await refusalOf(connect(replica, { token, isInQuery: true })).finally(
    () => deployment.operator`alter table core_audit.users_away rename to users`,
  )
  expect(refusal).toEqual([500, 'internal'])
  const lines = replica.logLines.filter((line) => line.includes('"level":"error"'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('"code":"42P01"')
  expect(lines[0]).toMatch(/"requestId":"[\da-f-]{36}"/)
  expect(lines[0]).not.toContain(token.split('.')[1])
})
