import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { act } from '../actions.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { type Deployment, openDeployment, type Replica } from './hosts.ts'
import { about, pageOf } from './page.ts'

const script = fileURLToPath(new URL('../../src/outbox.ts', import.meta.url))

let deployment: Deployment
let replica: Replica
let sql: postgres.Sql

beforeAll(async () => {
  deployment = await openDeployment()
  replica = await deployment.openReplica({ WorkCenter__OutboxMaxAttempts: '1' })
  sql = postgres(deployment.databaseUrl, { max: 1, onnotice: () => {} })
})
afterAll(async () => {
  await sql.end()
  await deployment.close()
})

/** Runs `pnpm outbox`, asserts success and returns the output. */
function outbox(...argv: readonly string[]): Promise<string> {
  const options = { env: { PATH: process.env['PATH'], DATABASE_URL: deployment.databaseUrl } }
  const command = ['--conditions=@vertical-kit/source', script, ...argv]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(stderr, { cause: error })),
    )
  })
}

async function health() {
  const response = await fetch(`${replica.url}/health`)
  const report = (await response.json()) as { status: string; entries: Record<string, object> }
  return { status: response.status, report }
}

test('the health report contains the parts of a host without attachments', async () => {
  const { status, report } = await health()
  expect(status).toBe(200)
  expect(report.status).toBe('Healthy')
  const names = [
    'audit',
    'auditSeals',
    'clock',
    'database',
    'identityProvider',
    'outbox',
    'workCenterOutbox',
    'workCenterTasks',
  ]
  expect(Object.keys(report.entries).toSorted()).toEqual(names)
  // Events that the start of the host created can still be pending.
  expect(report.entries['workCenterOutbox']).toEqual({
    status: 'Healthy',
    durationMs: expect.any(Number),
    pendingCount: expect.any(Number),
    failedCount: 0,
    oldestPendingAgeSeconds: expect.toSatisfy((age: unknown) => age === null || typeof age === 'number'),
  })
})

test('an operator can retry a failed event after the cause is fixed', async () => {
  const clerk = await pageOf(replica, 'clerk')
  const invoice = await draftSales(clerk.request, 'trade.sales_invoice')
  // Without the table of customers, posting succeeds but the event handler fails.
  await sql`alter table trade.catalog_items rename to hidden`
  await act(clerk.request, invoice, 'post')
  let degraded = await health()
  while (degraded.report.status === 'Healthy') degraded = await health()
  // A replica with dead letters is degraded, but its health check still returns 200.
  expect(degraded).toMatchObject({
    status: 200,
    report: { status: 'Degraded', entries: { workCenterOutbox: { status: 'Degraded', failedCount: 1 } } },
  })
  expect(await clerk.items('tasks')).toEqual([])

  const list = await outbox('list')
  expect(list).toContain(`document/trade.sales_invoice/${invoice.id}`)
  expect(list).toContain('42P01')
  const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(list)?.[0] ?? ''
  await sql`alter table trade.hidden rename to catalog_items`
  expect(await outbox('retry', id, '--reason', 'the customers are back')).toContain('work-center')
  expect(await clerk.item('tasks', about(invoice))).toMatchObject({ taskStatus: 'Open' })
  expect((await health()).report).toMatchObject({ status: 'Healthy' })
})
