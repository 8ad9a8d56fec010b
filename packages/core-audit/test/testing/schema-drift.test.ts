import { schemaDrift } from '@vertical-kit/core-audit/testing'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { eq, isNull, sql } from 'drizzle-orm/sql'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'

const yard = pgSchema('yard')

const bins = yard.table('bins', { id: uuid().primaryKey() })

const parts = yard.table(
  'parts',
  {
    binId: uuid('bin_id').notNull(),
    code: varchar({ length: 10 }).notNull(),
    tags: text().array(),
    count: integer().notNull().default(0),
    madeAt: timestamp('made_at', { withTimezone: true, precision: 3 }).$default(() => new Date(0)),
    origin: jsonb().notNull().default({ country: 'NO' }),
    serial: bigint({ mode: 'bigint' }).generatedAlwaysAsIdentity(),
    label: text().generatedAlwaysAs(sql`code || ''`),
  },
  (table) => [
    primaryKey({ columns: [table.binId, table.code] }),
    unique('parts_code_key').on(table.code),
    foreignKey({ columns: [table.binId], foreignColumns: [bins.id] }).onDelete('cascade'),
    index('parts_by_made_at')
      .on(table.madeAt.desc().nullsFirst(), table.code.op('varchar_pattern_ops'))
      .where(sql`${table.count} > ${0}`),
    uniqueIndex('parts_lower_code').on(sql`lower(code)`),
    check('parts_count_check', sql`${table.count} between 0 and 10`),
  ],
)

const fullBins = yard.view('full_bins', { binId: uuid('bin_id').notNull(), count: integer() }).existing()

const emptyBins = yard
  .view('empty_bins')
  .as((select) =>
    select
      .select({ id: bins.id })
      .from(bins)
      .leftJoin(parts, eq(parts.binId, bins.id))
      .where(isNull(parts.code)),
  )

const migrated = `
  create schema yard;
  create table yard.bins (id uuid primary key);
  create table yard.parts (
    bin_id uuid not null references yard.bins (id) on delete cascade,
    code character varying(10) not null,
    tags text[],
    count int not null default 0,
    made_at timestamptz(3),
    origin jsonb not null default '{"country":"NO"}',
    serial bigint not null generated always as identity,
    label text generated always as (code || '') stored,
    primary key (bin_id, code),
    constraint parts_code_key unique (code),
    constraint parts_count_check check (count >= 0 and count <= 10)
  );
  create index parts_by_made_at on yard.parts (made_at desc, code varchar_pattern_ops) include (tags) where count > 0;
  create unique index parts_lower_code on yard.parts (lower(code));
  create view yard.full_bins as select bin_id, sum(count)::int as count from yard.parts group by bin_id;
  create view yard.empty_bins as
    select id from yard.bins where not exists (select from yard.parts where bin_id = bins.id);
`

let database: FreshDatabase
let admin: postgres.Sql

beforeEach(async () => {
  database = await freshDatabase(inject('postgresUrl'))
  admin = postgres(database.url, { max: 1, onnotice: () => {} })
  await admin.unsafe(migrated)
})

afterEach(async () => {
  await admin.end()
  await database.drop()
})

const drift = () => schemaDrift(database.url, { bins, parts, fullBins, emptyBins, yard })

test('tables and views that match the database do not drift, however an expression is spelled', async () => {
  expect(await drift()).toEqual([])
})

test('the comparison leaves nothing behind in the database', async () => {
  await drift()
  const rows =
    await admin`select relname from pg_class where relname in ('bins', 'parts', 'full_bins', 'empty_bins')`
  expect(rows).toHaveLength(4)
})

test.each([
  [
    'a column of another type',
    'alter table yard.parts alter column tags type varchar[]',
    'parts: column tags is [character varying[], null] in the database, [text[], null] in the Drizzle schema',
  ],
  [
    'a column of another length',
    'alter table yard.parts alter column made_at type timestamptz(2)',
    'parts: column made_at is [timestamp(2) with time zone, null] in the database, ' +
      '[timestamp(3) with time zone, null] in the Drizzle schema',
  ],
  [
    'a column that may be null',
    'alter table yard.parts alter column count drop not null',
    'parts: column count is [integer, null, default 0] in the database, ' +
      '[integer, not null, default 0] in the Drizzle schema',
  ],
  [
    'a default that only the database has',
    `alter table yard.parts alter column tags set default '{}'`,
    "parts: column tags is [text[], null, default '{}'::text[]] in the database, " +
      '[text[], null] in the Drizzle schema',
  ],
  [
    'a default that only the tables have',
    'alter table yard.parts alter column count drop default',
    'parts: column count is [integer, not null] in the database, ' +
      '[integer, not null, default 0] in the Drizzle schema',
  ],
  [
    'another default',
    `alter table yard.parts alter column origin set default '{"country": "SE"}'`,
    `parts: column origin is [jsonb, not null, default '{"country": "SE"}'::jsonb] in the database, ` +
      `[jsonb, not null, default '{"country": "NO"}'::jsonb] in the Drizzle schema`,
  ],
  [
    'another kind of identity',
    'alter table yard.parts alter column serial set generated by default',
    'parts: column serial is [bigint, not null, generated by default as identity] in the database, ' +
      '[bigint, not null, generated always as identity] in the Drizzle schema',
  ],
  [
    'a column that is not generated',
    'alter table yard.parts alter column label drop expression',
    'parts: column label is [text, null] in the database, ' +
      "[text, null, generated always as (((code)::text || ''::text)) stored] in the Drizzle schema",
  ],
  [
    'a column that the tables lack',
    'alter table yard.parts add column colour text',
    'parts: column colour is not in the Drizzle schema',
  ],
  [
    'a column that the database lacks',
    'alter table yard.parts drop column serial',
    'parts: column serial is not in the database',
  ],
  [
    'a primary key in another order',
    'alter table yard.parts drop constraint parts_pkey, add primary key (code, bin_id)',
    'parts: primary key is [PRIMARY KEY (code, bin_id)] in the database, ' +
      '[PRIMARY KEY (bin_id, code)] in the Drizzle schema',
  ],
  [
    'a unique constraint of another name',
    'alter table yard.parts rename constraint parts_code_key to parts_code',
    [
      'parts: constraint parts_code is not in the Drizzle schema',
      'parts: constraint parts_code_key is not in the database',
    ],
  ],
  [
    'a unique constraint over nulls',
    'alter table yard.parts drop constraint parts_code_key, ' +
      'add constraint parts_code_key unique nulls not distinct (code)',
    'parts: constraint parts_code_key is [UNIQUE NULLS NOT DISTINCT (code)] in the database, ' +
      '[UNIQUE (code)] in the Drizzle schema',
  ],
  [
    'a check of something else',
    'alter table yard.parts drop constraint parts_count_check, ' +
      'add constraint parts_count_check check (count between 0 and 11)',
    'parts: constraint parts_count_check is [CHECK (((count >= 0) AND (count <= 11)))] in the database, ' +
      '[CHECK (((count >= 0) AND (count <= 10)))] in the Drizzle schema',
  ],
  [
    'a check that the database lacks',
    'alter table yard.parts drop constraint parts_count_check',
    'parts: constraint parts_count_check is not in the database',
  ],
  [
    'a check that the tables lack',
    `alter table yard.parts add constraint parts_code_check check (code <> '')`,
    'parts: constraint parts_code_check is not in the Drizzle schema',
  ],
  [
    'a foreign key that acts otherwise',
    `alter table yard.parts drop constraint parts_bin_id_fkey,
       add foreign key (bin_id) references yard.bins (id)`,
    'parts: foreign key (bin_id) is [yard.bins (id), on delete no action, on update no action] in the database, ' +
      '[yard.bins (id), on delete cascade, on update no action] in the Drizzle schema',
  ],
  [
    'an index in another order',
    `drop index yard.parts_by_made_at;
     create index parts_by_made_at on yard.parts (made_at, code varchar_pattern_ops) where count > 0`,
    'parts: index parts_by_made_at is [btree (made_at, code varchar_pattern_ops) WHERE (count > 0)] in the database, ' +
      '[btree (made_at DESC, code varchar_pattern_ops) WHERE (count > 0)] in the Drizzle schema',
  ],
  [
    'an index with nulls at the other end',
    `drop index yard.parts_by_made_at;
     create index parts_by_made_at on yard.parts (made_at desc nulls last, code varchar_pattern_ops) where count > 0`,
    'parts: index parts_by_made_at is ' +
      '[btree (made_at DESC NULLS LAST, code varchar_pattern_ops) WHERE (count > 0)] in the database, ' +
      '[btree (made_at DESC, code varchar_pattern_ops) WHERE (count > 0)] in the Drizzle schema',
  ],
  [
    'an index of another operator class',
    `drop index yard.parts_by_made_at;
     create index parts_by_made_at on yard.parts (made_at desc, code) where count > 0`,
    'parts: index parts_by_made_at is [btree (made_at DESC, code) WHERE (count > 0)] in the database, ' +
      '[btree (made_at DESC, code varchar_pattern_ops) WHERE (count > 0)] in the Drizzle schema',
  ],
  [
    'an index over other rows',
    `drop index yard.parts_by_made_at;
     create index parts_by_made_at on yard.parts (made_at desc, code varchar_pattern_ops) where count > 1`,
    'parts: index parts_by_made_at is ' +
      '[btree (made_at DESC, code varchar_pattern_ops) WHERE (count > 1)] in the database, ' +
      '[btree (made_at DESC, code varchar_pattern_ops) WHERE (count > 0)] in the Drizzle schema',
  ],
  [
    'an index over every row',
    `drop index yard.parts_by_made_at;
     create index parts_by_made_at on yard.parts (made_at desc, code varchar_pattern_ops)`,
    'parts: index parts_by_made_at is [btree (made_at DESC, code varchar_pattern_ops)] in the database, ' +
      '[btree (made_at DESC, code varchar_pattern_ops) WHERE (count > 0)] in the Drizzle schema',
  ],
  [
    'an index over another expression',
    'drop index yard.parts_lower_code; create unique index parts_lower_code on yard.parts (upper(code))',
    'parts: index parts_lower_code is [unique btree (upper((code)::text))] in the database, ' +
      '[unique btree (lower((code)::text))] in the Drizzle schema',
  ],
  [
    'an index that is not unique',
    'drop index yard.parts_lower_code; create index parts_lower_code on yard.parts (lower(code))',
    'parts: index parts_lower_code is [btree (lower((code)::text))] in the database, ' +
      '[unique btree (lower((code)::text))] in the Drizzle schema',
  ],
  [
    'an index that the tables lack',
    'create index parts_by_count on yard.parts (count)',
    'parts: index parts_by_count is not in the Drizzle schema',
  ],
  [
    'a column of a view of another type',
    `drop view yard.full_bins;
     create view yard.full_bins as select bin_id, sum(count) as count from yard.parts group by bin_id`,
    'full_bins: column count is [bigint, null] in the database, [integer, null] in the Drizzle schema',
  ],
  [
    'a column that a declared view lacks',
    'drop view yard.empty_bins; create view yard.empty_bins as select id, 1 as size from yard.bins',
    'empty_bins: column size is not in the Drizzle schema',
  ],
  [
    'a table in the place of a view',
    'drop view yard.full_bins; create table yard.full_bins (bin_id uuid, count int)',
    'full_bins: kind is [table] in the database, [view] in the Drizzle schema',
  ],
])('reports %s', async (_case, ddl, expected) => {
  await admin.unsafe(ddl)
  expect(await drift()).toEqual([expected].flat().map((difference) => `yard.${difference}`))
})

test('reports a table or view that only one side has', async () => {
  await admin`create table yard.shelves (id int)`
  await admin`alter view yard.full_bins rename to used_bins`
  await admin`alter table yard.bins rename to boxes`
  expect(await schemaDrift(database.url, { bins, parts, fullBins })).toEqual(
    expect.arrayContaining([
      'yard.bins: not in the database',
      'yard.boxes: not in the Drizzle schema',
      'yard.empty_bins: not in the Drizzle schema',
      'yard.full_bins: not in the database',
      'yard.shelves: not in the Drizzle schema',
      'yard.used_bins: not in the Drizzle schema',
    ]),
  )
})

test('a declaration that PostgreSQL refuses names its table', async () => {
  const wrong = yard.table('parts', { id: uuid() }, () => [check('wrong', sql`nothing > 0`)])
  await expect(schemaDrift(database.url, { wrong })).rejects.toThrow(
    'yard.parts: PostgreSQL refuses its declaration',
  )
})

test('columns that an index includes are not compared: Drizzle cannot declare them', async () => {
  await admin.unsafe(`drop index yard.parts_by_made_at;
    create index parts_by_made_at on yard.parts (made_at desc, code varchar_pattern_ops) include (count) where count > 0`)
  expect(await drift()).toEqual([])
})

test('throws for a module without a table', async () => {
  await expect(schemaDrift(database.url, { yard })).rejects.toThrow(TypeError)
})
