import { migrate } from '@vertical-kit/core-audit/database'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type StandbyPair, startStandbyPair } from '../../../vitest.standby.ts'
import { hostMigrations } from '../src/migrations.ts'
import { expectAnswer } from './answers.ts'
import { externalStore, type Request } from './demo-process.ts'
import { postedInvoice } from './trade/actions/documents.ts'
import { targetQuery } from './uploads.ts'
import { type Deployment, openDeployment, type Replica } from './work-center/hosts.ts'

let pair: StandbyPair
let deployment: Deployment
let standby: postgres.Sql
let one: Replica
let other: Replica
beforeAll(async () => {
  pair = await startStandbyPair(async ({ adminUrl: databaseUrl }) => {
    await migrate({ databaseUrl, packs: hostMigrations })
  })
  standby = postgres(pair.standby.adminUrl, { max: 1, fetch_types: false })
  deployment = await openDeployment(Promise.resolve({ url: pair.primary.adminUrl, drop: async () => {} }))
  // Lists of attachments do not need the store.
  const store = externalStore('http://127.0.0.1:9')
  const features = { FeatureManagement__Notes: 'true', FeatureManagement__Attachments: 'true', ...store }
  const environment = { DATABASE_READ_URL: pair.standby.adminUrl, ...features }
  one = await deployment.openReplica(environment)
  other = await deployment.openReplica(environment)
})
afterAll(async () => {
  await deployment.close()
  await standby.end()
  await pair.stop()
})

const invoiceTarget = (id: string) => ({ kind: 'Document', typeCode: 'trade.sales_invoice', id })

const textsOf = async (request: Request, id: string) => {
  const page = await expectAnswer(request('GET', `/api/notes?${targetQuery(invoiceTarget(id))}`), 200)
  return page.items.map((note) => note['text'])
}

/** Returns how many reads of the hosts the standby has served since an instant of its clock, apart from the position check. */
async function readsOfStandby(since: string): Promise<number> {
  const [row] = await standby`
    select count(*)::int as count from pg_stat_activity
    where application_name = 'vertical-kit' and query_start > ${since}::timestamptz
      and query not like '%pg_control_checkpoint%'`
  return row?.['count'] ?? 0
}

test.each([
  ['notes', (query: string) => `/api/notes?${query}`],
  ['attachments', (query: string) => `/api/attachments?${query}`],
  ['content counts', (query: string) => `/api/business-objects/content-summary?${query}`],
  ['audit events of an object', (query: string) => `/api/audit/events?${query}`],
  ['users', () => '/api/security/users'],
  ['documents', () => '/api/documents/trade.sales_invoice'],
  ['catalog items', () => '/api/catalogs/trade.customer'],
])('the standby serves lists of %s', async (_, pathOf) => {
  const manager = await one.as('manager')
  const { id } = await postedInvoice(await one.as('clerk'))
  const path = pathOf(targetQuery(invoiceTarget(id)))
  // The primary serves the list until the standby has replayed the posting.
  await expect
    .poll(async () => {
      const [clock] = await standby`select clock_timestamp()::text as now`
      await expectAnswer(manager('GET', path), 200)
      return readsOfStandby(clock?.['now'])
    })
    .toBeGreaterThan(0)
})

test('while the standby lags, no list shows less than was written through any host', async () => {
  const [clerk, colleague] = [await one.as('clerk'), await other.as('clerk2')]
  const first = await postedInvoice(clerk)
  await textsOf(clerk, first.id)
  onTestFinished(await pair.pauseReplay())

  const invoice = await postedInvoice(clerk)
  const body = { target: invoiceTarget(invoice.id), text: 'kept' }
  await expectAnswer(clerk('POST', '/api/notes', { body }), 201)
  for (const request of [clerk, colleague]) {
    expect(await textsOf(request, invoice.id)).toEqual(['kept'])
    const documents = await expectAnswer(request('GET', '/api/documents/trade.sales_invoice?limit=1'), 200)
    expect(documents.items).toMatchObject([{ id: invoice.id }])
    const query = targetQuery(invoiceTarget(invoice.id))
    const events = await expectAnswer(request('GET', `/api/audit/events?${query}`), 200)
    expect(events.items.map((event) => event['actionCode'])).toContain('post')
    const summary = await expectAnswer(request('GET', `/api/business-objects/content-summary?${query}`), 200)
    expect(summary).toMatchObject({ notes: 1 })
  }
})

test('while the standby lags, a right that was revoked is refused by the next request at every host', async () => {
  const [admin, viewer] = [await one.as('admin'), await other.as('viewer')]
  const path = '/api/documents/trade.sales_invoice'
  await expectAnswer(viewer('GET', path), 200)
  onTestFinished(await pair.pauseReplay())
  const users = await expectAnswer(admin('GET', '/api/security/users?limit=100'), 200)
  const id = users.items.find((user) => user['subject'] === 'viewer')?.id
  await expectAnswer(admin('PUT', `/api/security/users/${id}/roles`, { body: { roleIds: [] } }), 200)
  await expectAnswer(viewer('GET', path), 404, 'documents.not_found')
})
