import type { Locator, Page } from 'playwright-core'
import postgres from 'postgres'
import { expect } from 'vitest'
import { workCenter } from './work-center-stage.ts'

/** Runs `use` with a connection to the database of a demo. */
export async function withDatabase(
  databaseUrl: string,
  use: (sql: postgres.Sql) => Promise<void>,
): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await use(sql)
  } finally {
    await sql.end()
  }
}

export const rowsOf = (page: Page): Locator => workCenter(page).locator('li[data-id]')

/** Scrolls down until the list has this many rows. */
export const scrollUntil = (page: Page, count: number): Promise<void> =>
  expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 20_000)
        return rowsOf(page).count()
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThanOrEqual(count)

export interface SampleNotifications {
  readonly user: string
  readonly count: number
  /** The title, in which `%` stands for the number of the notification. */
  readonly title: string
  readonly target: { readonly code: string; readonly parameters: Readonly<Record<string, string>> } | null
}

/** Inserts notifications for a user directly into the database, which is faster than creating them by actions. */
export async function notify(
  sql: postgres.Sql,
  { user, count, title, target }: SampleNotifications,
): Promise<void> {
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
