import { newId } from '@vertical-kit/core-audit'
import type { Db, Tx } from '@vertical-kit/core-audit/database'
import { plansOf, statementOf } from '@vertical-kit/core-audit/testing'
import { type SQLWrapper, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expireUploads } from '../src/commands/expire-uploads.ts'
import { countActive, countAttachments, listAttachments } from '../src/queries/list-attachments.ts'
import { type Bench, openBench } from './commands/bench.ts'
import { newTarget } from './harness.ts'

let bench: Bench
const target = newTarget()

/** Fills the table like a busy deployment, so that plans are realistic. 200 of the 20,000 rows belong to `target`. */
beforeAll(async () => {
  bench = await openBench()
  await bench.database.transaction(async (tx) => {
    await tx.execute(sql`
      insert into attachments.attachments (
        id, target_kind, target_type_code, target_id, file_name, content_type, size_bytes, status,
        created_at, created_by_user_id, completed_at, deleted_at
      )
      select gen_random_uuid(), 'Document', ${target.typeCode},
        case when n % 100 = 0 then ${target.id}::uuid else gen_random_uuid() end,
        'a.txt', 'text/plain', 1, status, now() - n * interval '1 minute', ${bench.actor.userId}::uuid,
        case when status = 'pending' then null else now() end,
        case when status = 'deleted' then now() end
      from generate_series(1, 20000) as n,
        lateral (select (array['ready', 'ready', 'deleted', 'pending'])[1 + n / 100 % 4] as status) as drawn`)
    await tx.execute(sql`analyze attachments.attachments`)
  })
})
afterAll(() => bench.close())

/** Returns the nodes of both plans of the single statement that `work` sends, such as `Seq Scan attachments`. */
async function plansOfWork(work: (tx: Tx) => Promise<unknown>): Promise<readonly (readonly string[])[]> {
  const plans = await plansOf(bench.database, await statementOf(bench.database, work))
  return plans.map((nodes) =>
    nodes.map((node) => `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''}`.trim()),
  )
}

const select = (subquery: SQLWrapper) => (db: Db) => db.execute(sql`select (${subquery})`)

test.each<[string, string, (tx: Tx) => Promise<unknown>]>([
  [
    'the first page of a list',
    'attachments_by_target',
    (db) => listAttachments(db, { target, limit: 50, cursor: null }),
  ],
  [
    'a later page of a list',
    'attachments_by_target',
    (db) => listAttachments(db, { target, limit: 50, cursor: newId() }),
  ],
  ['the count of ready attachments', 'attachments_by_target', select(countAttachments(target))],
  ['the count of active attachments', 'attachments_active_by_target', select(countActive(target))],
  [
    'the expiration of a batch of uploads',
    'attachments_pending_by_age',
    // No upload is that old, so no audit event follows.
    (tx) => expireUploads(tx, { ...bench.config, pendingStaleAgeMs: 10 ** 12 }),
  ],
])('the query for %s uses the index %s', async (_what, index, work) => {
  for (const nodes of await plansOfWork(work)) {
    expect(nodes).toContainEqual(expect.stringMatching(`Index.* ${index}$`))
    expect(nodes).not.toContain('Seq Scan attachments')
  }
})

test('the query for a page reads the rows in index order and does not sort them', async () => {
  const plans = await plansOfWork((db) => listAttachments(db, { target, limit: 50, cursor: null }))
  for (const nodes of plans) expect(nodes).not.toContain('Sort')
})
