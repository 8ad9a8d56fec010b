import { randomBytes } from 'node:crypto'
import { cp, readdir, rm } from 'node:fs/promises'
import { coreMigrations, type MigrationPack, migrate } from '@vertical-kit/core-audit/database'
import { freshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { writePack } from '../database/migration-packs.ts'
import { openConnection, runSql } from '../harness.ts'

const [reader, writer] = ['reader', 'writer'].map((name) => `audit_${name}_${randomBytes(6).toString('hex')}`)
afterAll(() => runSql(inject('postgresUrl'), `drop role if exists ${reader}; drop role if exists ${writer}`))

let url: string
const migrateWith = (pack: MigrationPack) => migrate({ databaseUrl: url, packs: [pack] })

/** The pack up to and with a file. */
async function packUntil(last: string): Promise<MigrationPack> {
  const pack = await writePack(coreMigrations.name, {})
  await cp(coreMigrations.directory, pack.directory, { recursive: true })
  for (const file of await readdir(pack.directory)) {
    if (file.slice(0, 4) > last) await rm(new URL(file, pack.directory))
  }
  return pack
}

beforeEach(async () => {
  const fresh = await freshDatabase(inject('postgresUrl'))
  url = fresh.url
  await migrateWith(await packUntil('0008'))
  await runSql(
    url,
    `insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code, metadata)
     select ('019a0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'things', 'Document', 'order',
       gen_random_uuid(), 'added', '{"a": 1}'
     from generate_series(1, 1000) n`,
  )
  return fresh.drop
})

const select = 'select * from core_audit.audit_events order by id'

test('every event, right and trigger of the existing table survives, and new events have a partition', async () => {
  await runSql(
    url,
    `create role ${reader}; create role ${writer};
     grant usage on schema core_audit to ${writer};
     grant select on core_audit.audit_events to ${reader} with grant option;
     alter default privileges in schema core_audit grant all on tables to ${writer};
     revoke all on core_audit.audit_events from ${writer};
     grant select, insert on core_audit.audit_events to ${writer}`,
  )
  const sql = openConnection(url)
  const byId = (rows: readonly Record<string, unknown>[]) => rows.map((row) => ({ ...row }))
  const before = byId(await sql.unsafe(select))
  const rights = async () =>
    byId(
      await sql`
      select grantee::regrole::text as grantee, privilege_type, is_grantable
      from pg_class cross join aclexplode(relacl)
      where oid = 'core_audit.audit_events'::regclass and grantee <> relowner
      order by 1, 2`,
    )
  const rightsBefore = await rights()
  expect(rightsBefore).toHaveLength(3)

  await migrateWith(coreMigrations)
  expect(byId(await sql.unsafe(select))).toEqual(before)
  expect(await rights()).toEqual(rightsBefore)
  const [first] = await sql`select name from core_audit.audit_partitions() where first_id is null`
  expect(
    await sql`
    select from core_audit.audit_events where tableoid <> ${`core_audit.${first?.['name']}`}::regclass`,
  ).toHaveLength(0)

  await sql.unsafe(`set role ${writer}`)
  await sql`
    insert into core_audit.audit_events (module, target_kind, target_type_code, target_id, action_code)
    values ('things', 'Document', 'order', gen_random_uuid(), 'added')`
  await sql`select core_audit.create_audit_partitions()`
  await expect(sql.unsafe(`select from core_audit.${first?.['name']}`)).rejects.toMatchObject({
    code: '42501',
  })
  await sql.unsafe('reset role')
  await expect(sql`delete from core_audit.audit_events`).rejects.toMatchObject({
    message: 'audit events are append-only',
  })
  await runSql(url, `drop owned by ${reader}, ${writer}`)
})

test('if the clock of a host was wrong, the first partition contains its events', async () => {
  await runSql(
    url,
    `insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code)
     values ('01d00000-0000-7000-8000-000000000000', 'things', 'Document', 'order', gen_random_uuid(), 'added')`,
  )
  await migrateWith(coreMigrations)
  // 01d00000-0000 is in August 2033.
  expect(await openConnection(url)`select name, first_id from core_audit.audit_partitions()`).toEqual([
    { name: 'audit_events_before_2034', first_id: null },
  ])
})

test.each([
  [
    'foreign key remarks_event_id_fkey of public.remarks',
    'create table public.remarks (event_id uuid references core_audit.audit_events)',
  ],
  ['view public.history', 'create view public.history as select id from core_audit.audit_events'],
  [
    'trigger notify',
    'create trigger notify after insert on core_audit.audit_events for each row execute function suppress_redundant_updates_trigger()',
  ],
  ['publication changes', 'create publication changes for table core_audit.audit_events'],
  ['policy own', 'create policy own on core_audit.audit_events using (true)'],
  ['row level security', 'alter table core_audit.audit_events enable row level security'],
  ['grants of the column module', 'grant select (module) on core_audit.audit_events to public'],
  [
    'function public.count_events()',
    'create function public.count_events() returns bigint begin atomic select count(*) from core_audit.audit_events; end',
  ],
])('a %s of the application stops the migration and is named', async (name, statement) => {
  await migrateWith(await packUntil('0011'))
  await runSql(url, statement)
  await expect(migrateWith(coreMigrations)).rejects.toMatchObject({
    message: expect.stringContaining('0012-partition-audit-events.sql failed'),
    cause: { message: `drop these before, and create them again afterwards: ${name}` },
  })
  expect(await openConnection(url).unsafe(select)).toHaveLength(1000)
})
