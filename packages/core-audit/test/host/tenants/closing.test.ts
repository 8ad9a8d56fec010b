import type { Worker } from '@vertical-kit/core-audit/host'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { openPool, runSql } from '../../harness.ts'
import { openFleet } from './fleet.ts'

/** A worker without work. */
const idle: Worker = {
  name: 'idle',
  intervalMs: 60_000,
  dueAt: sql<string | null>`(select null::timestamptz from public.handled limit 1)`,
  runOnce: async () => {},
}

test('an answer that arrives after its tenant has closed does not replace that of a later visit', async () => {
  const fleet = await openFleet({
    count: 2,
    config: { maxOpen: 1 },
    random: () => 0.99,
    workers: () => [{ ...idle, dueAt: sql<string | null>`public.due_at()` }],
  })
  // Overdue work is read before the answer waits for the lock.
  const dueAt = `create function public.due_at() returns timestamptz language plpgsql as $$
    declare
      due_at timestamptz := (select now() - interval '1 hour' from public.handled);
    begin
      if due_at is not null then
        perform pg_advisory_xact_lock(1);
      end if;
      return due_at;
    end
  $$`
  for (const id of fleet.ids) await runSql(fleet.urlOf(id), dueAt)
  expect((await fleet.get('t0', '/database')).status).toBe(200)
  await runSql(fleet.urlOf('t0'), "insert into public.handled values ('overdue')")
  const database = openPool(fleet.urlOf('t0'))
  const held = await holdTransaction(database, (tx) => tx.execute(sql`select pg_advisory_xact_lock(1)`))
  fleet.pass(60_000)
  const question = fleet.tenants.round()
  await untilBlocked(database)
  const other = fleet.get('t1', '/database')
  await runSql(fleet.urlOf('t0'), 'delete from public.handled')
  fleet.pass(1_000)
  await fleet.tenants.round()
  await held.commit()
  await question
  expect((await other).status).toBe(200)
  expect(await fleet.tenants.health.check(new AbortController().signal)).toEqual({ status: 'Healthy' })
})
