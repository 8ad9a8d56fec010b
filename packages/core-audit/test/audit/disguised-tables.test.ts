import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDatabase, runSql } from '../harness.ts'
import { runAudit } from './run-audit.ts'

const events = 'core_audit.audit_events'
const seals = 'core_audit.audit_seals'
const partition = 'core_audit.audit_events_before_2027'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

const lose = `create function core_audit.lose() returns trigger language plpgsql as 'begin return null; end'`
const drop = 'drop function core_audit.lose() cascade'
/** Depends on no object, but on `extra_float_digits` of the session. */
const third = `(1.0::float8 / 3)::text = '0.3333333333333333'`

test.each([
  [
    'has row security',
    `alter table ${events} enable row level security`,
    `alter table ${events} disable row level security`,
  ],
  [
    'has row security',
    `alter table ${seals} enable row level security`,
    `alter table ${seals} disable row level security`,
  ],
  [
    'has a rule',
    `create rule lost as on insert to ${partition} do instead nothing`,
    `drop rule lost on ${partition}`,
  ],
  [
    'has a trigger for inserts',
    `${lose}; create trigger lose before insert on ${events} for each row execute function core_audit.lose()`,
    drop,
  ],
  [
    'has a trigger for inserts',
    `${lose}; create trigger lose after insert on ${events} for each statement execute function core_audit.lose()`,
    drop,
  ],
  [
    'is missing in the list of partitions, or has other bounds there',
    `alter function core_audit.audit_partitions() rename to kept;
     create function core_audit.audit_partitions() returns table (name text, first_id uuid, end_id uuid)
     language sql as 'select * from core_audit.kept() where first_id is not null'`,
    'drop function core_audit.audit_partitions(); alter function core_audit.kept() rename to audit_partitions',
  ],
  [
    'is another kind of table',
    `alter table ${events} rename to kept; create view core_audit.audit_events as select * from core_audit.kept`,
    'drop view core_audit.audit_events; alter table core_audit.kept rename to audit_events',
  ],
  [
    'has inheritance children',
    `create table core_audit.more () inherits (${seals})`,
    'drop table core_audit.more',
  ],
  [
    'has no valid primary key',
    `alter table ${seals} drop constraint audit_seals_pkey`,
    `alter table ${seals} add constraint audit_seals_pkey primary key (sequence)`,
  ],
  [
    'has no valid primary key',
    `alter table ${seals} drop constraint audit_seals_pkey, add constraint audit_seals_pkey primary key (sequence, hash)`,
    `alter table ${seals} drop constraint audit_seals_pkey, add constraint audit_seals_pkey primary key (sequence)`,
  ],
  [
    'has no valid primary key',
    `alter table ${seals} drop constraint audit_seals_pkey, add constraint audit_seals_pkey primary key (hash)`,
    `alter table ${seals} drop constraint audit_seals_pkey, add constraint audit_seals_pkey primary key (sequence)`,
  ],
  [
    'has no valid primary key',
    `alter table ${events} drop constraint audit_events_pkey`,
    `alter table ${events} add constraint audit_events_pkey primary key (id)`,
  ],
  [
    'has no valid primary key',
    `update pg_index set indisvalid = false where indexrelid = 'core_audit.audit_seals_pkey'::regclass`,
    `update pg_index set indisvalid = true where indexrelid = 'core_audit.audit_seals_pkey'::regclass`,
  ],
  [
    'has a column of another type or a generated one',
    `create type core_audit.request as enum ('x');
     alter table ${events} alter column correlation_id type core_audit.request using null`,
    `alter table ${events} alter column correlation_id type text using null; drop type core_audit.request`,
  ],
  [
    'has a column of another type or a generated one',
    `create domain core_audit.count as integer; alter table ${seals} alter column event_count type core_audit.count`,
    `alter table ${seals} alter column event_count type integer; drop domain core_audit.count`,
  ],
  [
    'has a column of another type or a generated one',
    `alter table ${events} drop column occurred_at,
       add column occurred_at timestamptz generated always as ('2026-01-01Z'::timestamptz) stored`,
    `alter table ${events} drop column occurred_at,
       add column occurred_at timestamptz not null default clock_timestamp()`,
  ],
  [
    `has an index with an expression or a condition (drop, or create on columns only: ${partition}_lost, core_audit.more)`,
    `create index audit_events_before_2027_lost on ${partition} (target_id, id) where ${third};
     create index more on ${partition} ((case when ${third} then target_id end))`,
    `drop index ${partition}_lost, core_audit.more`,
  ],
  [
    'has an index with an expression or a condition (drop, or create on columns only: core_audit.lost)',
    `create index lost on ${seals} (sequence) where ${third}`,
    'drop index core_audit.lost',
  ],
  [
    'has a check of its own (drop: "Lost", more)',
    `alter table ${partition} add constraint "Lost" check (${third}), add constraint more check (id is not null)`,
    `alter table ${partition} drop constraint "Lost", drop constraint more`,
  ],
  [
    'has a check of its own (drop: audit_seals_sequence_check)',
    `alter table ${seals} drop constraint audit_seals_sequence_check,
       add constraint audit_seals_sequence_check check (sequence > 0 or ${third})`,
    `alter table ${seals} drop constraint audit_seals_sequence_check,
       add constraint audit_seals_sequence_check check (sequence > 0)`,
  ],
])('every command names a table that %s: %s', async (reason, disguise, undo) => {
  await runSql(fresh.url, disguise)
  try {
    for (const argv of [['verify'], ['export', '--year', '2026', '--directory', '/missing/folder']]) {
      const { exitCode, out, err } = await runAudit(fresh.url, argv)
      expect({ exitCode, out }).toEqual({ exitCode: 3, out: [] })
      expect(err).not.toEqual([])
      for (const line of err) {
        expect(line).toMatch(/^disguised: core_audit\.audit_\w+ /)
        expect(line).toContain(` ${reason},`)
      }
    }
  } finally {
    await runSql(fresh.url, undo)
  }
})

test('own indexes on columns, and a partition that was attached again, are no disguise', async () => {
  await runSql(
    fresh.url,
    `create index more on ${events} (correlation_id, id); create index details on ${partition} using gin (metadata)`,
  )
  await runSql(fresh.url, `alter table ${events} detach partition ${partition} concurrently`)
  await runSql(
    fresh.url,
    `alter table ${events} attach partition ${partition} for values from (minvalue) to (core_audit.first_event_id('2027-01-01Z'))`,
  )
  expect(await runAudit(fresh.url, ['verify'])).toMatchObject({ exitCode: 1, err: [] })
})

test('a database whose names are all quoted has no disguise', async () => {
  await runSql(fresh.url, `alter database ${fresh.name} set quote_all_identifiers = on`)
  onTestFinished(() => runSql(fresh.url, `alter database ${fresh.name} reset quote_all_identifiers`))
  expect(await runAudit(fresh.url, ['verify'])).toMatchObject({ exitCode: 1, err: [] })
})
