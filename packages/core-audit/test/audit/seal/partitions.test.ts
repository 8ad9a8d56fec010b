import type { Database } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDatabase, openPool, runSql } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { addEvents, idOf, seal, storedSeals } from './sealed-log.ts'

let fresh: FreshDatabase
let database: Database

/** Thirty events in three partitions, without the triggers. */
beforeEach(async () => {
  fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
  await runSql(
    fresh.url,
    `create table public.columns (like core_audit.audit_events including defaults);
     drop table core_audit.audit_events cascade;
     create table core_audit.audit_events (like public.columns including defaults, primary key (id))
       partition by range (id);
     create table public.first partition of core_audit.audit_events for values from (minvalue) to ('${idOf(11)}');
     create table public.second partition of core_audit.audit_events for values from ('${idOf(11)}') to ('${idOf(21)}');
     create table public.third partition of core_audit.audit_events for values from ('${idOf(21)}') to (maxvalue);`,
  )
  database = openPool(fresh.url)
  await addEvents(database, 1, 30)
  await seal(database)
})

test('a seal never spans two partitions', async () => {
  expect(await storedSeals(database)).toEqual([
    { sequence: 1, first_event_id: idOf(1), last_event_id: idOf(10), event_count: 10 },
    { sequence: 2, first_event_id: idOf(11), last_event_id: idOf(20), event_count: 10 },
    { sequence: 3, first_event_id: idOf(21), last_event_id: idOf(30), event_count: 10 },
  ])
  expect((await runAudit(fresh.url, ['verify'])).exitCode).toBe(0)
})

test('after a partition was dropped, the other events and all seals are verified', async () => {
  await runSql(fresh.url, 'alter table core_audit.audit_events detach partition public.first')
  const dropped = ['--dropped-before', '2027']
  expect(await runAudit(fresh.url, ['verify', ...dropped])).toMatchObject({
    exitCode: 0,
    out: [
      expect.stringMatching(/^Verified 20 events and 3 seals/),
      expect.stringMatching(/^Not verified: the events up to 2026-01-01T00:00:00.010Z \(seal 1\)\./),
      expect.any(String),
    ],
  })
  await runSql(fresh.url, `delete from core_audit.audit_events where id = '${idOf(11)}'`)
  expect(await runAudit(fresh.url, ['verify', ...dropped])).toMatchObject({
    exitCode: 3,
    out: expect.arrayContaining([`missing: an event before ${idOf(12)} (seal 2)`]),
  })
})

test('a changed seal of dropped events is found', async () => {
  await runSql(
    fresh.url,
    `alter table core_audit.audit_events detach partition public.first;
     alter table core_audit.audit_seals disable trigger user;
     update core_audit.audit_seals set events_hash = sha256('x') where sequence = 1;`,
  )
  expect(await runAudit(fresh.url, ['verify', '--dropped-before', '2027'])).toMatchObject({
    exitCode: 3,
    out: expect.arrayContaining(['changed: seal 1, or the seal before it']),
  })
})

test('events whose partition was removed are missing, unless their years are named as dropped', async () => {
  await runSql(
    fresh.url,
    `alter table core_audit.audit_events detach partition public.first;
     alter table core_audit.audit_events detach partition public.second;
     delete from public.second where id <= '${idOf(15)}';
     alter table core_audit.audit_events attach partition public.second for values from ('${idOf(16)}') to ('${idOf(21)}');`,
  )
  const removed = [expect.stringMatching(/^missing: .*\(seal 1\)$/), expect.stringMatching(/\(seal 2\)$/)]
  for (const years of [[], ['--dropped-before', '2026']]) {
    expect(await runAudit(fresh.url, ['verify', ...years])).toMatchObject({
      exitCode: 3,
      out: expect.arrayContaining(removed),
    })
  }
  expect(await runAudit(fresh.url, ['verify', '--dropped-before', '2027'])).toMatchObject({
    exitCode: 3,
    out: expect.arrayContaining([expect.stringMatching(/\(seal 2\)$/)]),
  })
})
