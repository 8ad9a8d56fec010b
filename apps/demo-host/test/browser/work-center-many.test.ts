import postgres from 'postgres'
import { beforeAll, expect } from 'vitest'
import { stageOfFile, test, tolerate } from './harness.ts'
import { knownCount, workCenter } from './work-center-stage.ts'

const itemCount = 1_000

const stage = stageOfFile()

beforeAll(async () => {
  await withDatabase((sql) =>
    notify(sql, { user: 'viewer', count: itemCount, title: 'Invoice % is settled', target: null }),
  )
})

test('users can scroll through more than a thousand items, and a failed request keeps the rows and can be retried', async () => {
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

test('items show their text as plain text and have links only to targets that the page knows', async () => {
  const page = await stage.signIn('auditor', '/preferences')
  const knownBefore = await knownCount(page)
  await withDatabase(async (sql) => {
    await notify(sql, {
      user: 'auditor',
      count: 1,
      title: hostile,
      target: { code: 'javascript:alert(1)', parameters: {} },
    })
  })
  await page.goto(`${stage.demo.url}/work-center`)
  const row = workCenter(page).locator('li[data-id]').filter({ hasText: 'onerror' })
  await row.waitFor()
  expect(await knownCount(page)).toBe(knownBefore + 1)
  expect(await row.locator('img, a, script').count()).toBe(0)
  expect(await row.locator('.title').textContent()).toBe(hostile.replace('%', '1'))
  await row.getByRole('button', { name: /^Open:/ }).click()
  await row.waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/work-center')
})

const hostile = '<img src=x onerror=alert(%)> \u202egnp.exe <a href="javascript:alert(1)">'

async function withDatabase(use: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const sql = postgres(stage.demo.databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await use(sql)
  } finally {
    await sql.end()
  }
}

interface SampleNotifications {
  readonly user: string
  readonly count: number
  /** The title, in which `%` stands for the number of the notification. */
  readonly title: string
  readonly target: { readonly code: string; readonly parameters: Readonly<Record<string, string>> } | null
}

/** Inserts notifications for a user directly into the database, which is faster than creating them by actions. */
async function notify(sql: postgres.Sql, { user, count, title, target }: SampleNotifications): Promise<void> {
  await sql`
    with reader as (select id from core_audit.users where subject = ${user}),
    items as (
      insert into work_center.notifications (
        id, code, deduplication_key, title, resource_kind, resource_code, entity_id, source_title, severity,
        target, created_at, expires_at
      )
      select gen_random_uuid(), 'trade.invoice_settled', gen_random_uuid(), replace(${title}, '%', n::text), 'document',
        'trade.sales_invoice', gen_random_uuid(), 'Sales invoice ' || n, 'Success',
        ${target === null ? null : sql.json(target)}::jsonb,
        statement_timestamp() - n * interval '1 second', statement_timestamp() + interval '1 year'
      from generate_series(1, ${count}::int) n
      returning id, created_at, expires_at
    ),
    entries as (
      insert into work_center.entries (
        user_id, item_id, kind, view_permission, resource_code, severity, expires_at, sort_at, changes_at
      )
      select reader.id, items.id, 'Notification', 'document.trade.sales_invoice.view', 'trade.sales_invoice',
        'Success', items.expires_at, items.created_at, items.expires_at
      from items, reader
    )
    insert into work_center.user_versions (user_id, version)
    select id, 1 from reader
    on conflict (user_id) do update set version = user_versions.version + 1`
}
