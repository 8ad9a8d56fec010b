import postgres from 'postgres'
import { afterAll, beforeAll, expect } from 'vitest'
import { openStage, type Stage, test, tolerate } from './harness.ts'
import { knownCount, workCenter } from './work-center-stage.ts'

const itemCount = 1_000

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
  await fillInbox(stage.demo.databaseUrl)
})
afterAll(() => stage.close())

test('more than a thousand items are scrolled through; a page that fails keeps the rows, and is tried again', async () => {
  const page = await stage.signIn('viewer', '/work-center')
  const rows = workCenter(page).locator('li[data-id]')
  expect(await knownCount(page)).toBe(99)
  const scrollTo = (count: number) =>
    expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 20_000)
          return rows.count()
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThanOrEqual(count)
  await scrollTo(300)

  tolerate(page, /ERR_FAILED/)
  await page.route('**/api/work-center/items*', (route) => route.abort())
  const retry = workCenter(page).getByRole('button', { name: 'Try again' })
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 20_000)
        return retry.count()
      },
      { timeout: 60_000 },
    )
    .toBe(1)
  const kept = await rows.count()
  expect(kept).toBeGreaterThanOrEqual(300)
  await page.unroute('**/api/work-center/items*')
  await retry.click()
  await scrollTo(itemCount)
  const ids = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-id')))
  expect(new Set(ids).size).toBe(ids.length)
})

/** Fills the inbox of the demo's viewer with notifications that are not read. */
async function fillInbox(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql`
      with viewer as (select id from core_audit.users where subject = 'viewer'),
      items as (
        insert into work_center.notifications (
          id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, severity,
          created_at, expires_at
        )
        select gen_random_uuid(), 'trade.invoice_settled', 'many-' || n, 'Invoice ' || n || ' is settled', 'document',
          'trade.sales_invoice', gen_random_uuid(), 'Sales invoice ' || n, 'Success',
          statement_timestamp() - n * interval '1 second', statement_timestamp() + interval '1 year'
        from generate_series(1, ${itemCount}::int) n
        returning id, created_at, expires_at
      ),
      entries as (
        insert into work_center.entries (
          user_id, item_id, kind, view_permission, resource_code, severity, expires_at, sort_at, changes_at
        )
        select viewer.id, items.id, 'Notification', 'document.trade.sales_invoice.view', 'trade.sales_invoice',
          'Success', items.expires_at, items.created_at, items.expires_at
        from items, viewer
      )
      insert into work_center.user_versions (user_id, version)
      select id, 1 from viewer
      on conflict (user_id) do update set version = user_versions.version + 1`
  } finally {
    await sql.end()
  }
}
