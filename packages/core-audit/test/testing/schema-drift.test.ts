import { schemaDrift } from '@vertical-kit/core-audit/testing'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import {
  foreignKey,
  index,
  integer,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm/sql'
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
  },
  (table) => [
    primaryKey({ columns: [table.binId, table.code] }),
    unique('parts_code_key').on(table.code),
    foreignKey({ columns: [table.binId], foreignColumns: [bins.id] }).onDelete('cascade'),
    index('parts_by_made_at').on(table.madeAt.desc(), table.code).where(sql`count > 0`),
    uniqueIndex('parts_lower_code').on(sql`lower(code)`),
  ],
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
    primary key (bin_id, code),
    constraint parts_code_key unique (code)
  );
  create index parts_by_made_at on yard.parts (made_at desc, code) where count > 0;
  create unique index parts_lower_code on yard.parts (lower(code));
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

const drift = () => schemaDrift(database.url, { bins, parts, yard })

test('tables that say what the database holds do not drift, however a type is spelled', async () => {
  expect(await drift()).toEqual([])
})

test('asking leaves nothing behind in the database', async () => {
  await drift()
  const [row] = await admin`select count(*)::int as count from pg_class where relname = 'declared_types'`
  expect(row?.['count']).toBe(0)
})

test.each([
  [
    'a column of another type',
    'alter table yard.parts alter column count type bigint',
    'column count is [bigint, not null, with a default] in the database, ' +
      '[integer, not null, with a default] in the Drizzle schema',
  ],
  [
    'a column of another length',
    'alter table yard.parts alter column code type varchar(11)',
    'column code is [character varying(11), not null, without a default] in the database, ' +
      '[character varying(10), not null, without a default] in the Drizzle schema',
  ],
  [
    'a column that may be null',
    'alter table yard.parts alter column count drop not null',
    'column count is [integer, null, with a default] in the database, ' +
      '[integer, not null, with a default] in the Drizzle schema',
  ],
  [
    'a default that only one side has',
    `alter table yard.parts alter column tags set default '{}'`,
    'column tags is [text[], null, with a default] in the database, ' +
      '[text[], null, without a default] in the Drizzle schema',
  ],
  [
    'a column that the tables lack',
    'alter table yard.parts add column colour text',
    'column colour is not in the Drizzle schema',
  ],
  [
    'a column that the database lacks',
    'alter table yard.parts drop column tags',
    'column tags is not in the database',
  ],
  [
    'a primary key in another order',
    'alter table yard.parts drop constraint parts_pkey, add primary key (code, bin_id)',
    'primary key is [(code, bin_id)] in the database, [(bin_id, code)] in the Drizzle schema',
  ],
  [
    'a unique constraint of another name',
    'alter table yard.parts rename constraint parts_code_key to parts_code',
    [
      'unique constraint parts_code is not in the Drizzle schema',
      'unique constraint parts_code_key is not in the database',
    ],
  ],
  [
    'a foreign key that acts otherwise',
    `alter table yard.parts drop constraint parts_bin_id_fkey,
       add foreign key (bin_id) references yard.bins (id)`,
    'foreign key (bin_id) is [yard.bins (id), on delete no action, on update no action] in the database, ' +
      '[yard.bins (id), on delete cascade, on update no action] in the Drizzle schema',
  ],
  [
    'an index in another order',
    `drop index yard.parts_by_made_at;
     create index parts_by_made_at on yard.parts (made_at, code) where count > 0`,
    'index parts_by_made_at is [btree (made_at, code), partial] in the database, ' +
      '[btree (made_at desc, code), partial] in the Drizzle schema',
  ],
  [
    'an index over every row',
    `drop index yard.parts_by_made_at;
     create index parts_by_made_at on yard.parts (made_at desc, code)`,
    'index parts_by_made_at is [btree (made_at desc, code)] in the database, ' +
      '[btree (made_at desc, code), partial] in the Drizzle schema',
  ],
  [
    'an index that is not unique',
    'drop index yard.parts_lower_code; create index parts_lower_code on yard.parts (lower(code))',
    'index parts_lower_code is [btree (an expression)] in the database, ' +
      '[unique btree (an expression)] in the Drizzle schema',
  ],
  [
    'an index that the tables lack',
    'create index parts_by_count on yard.parts (count)',
    'index parts_by_count is not in the Drizzle schema',
  ],
])('%s is told', async (_case, ddl, expected) => {
  await admin.unsafe(ddl)
  expect(await drift()).toEqual([expected].flat().map((difference) => `yard.parts: ${difference}`))
})

test('a table that only one side has is told', async () => {
  await admin`create table yard.shelves (id int)`
  await admin`alter table yard.bins rename to boxes`
  expect(await drift()).toEqual(
    expect.arrayContaining([
      'yard.bins: not in the database',
      'yard.boxes: not in the Drizzle schema',
      'yard.shelves: not in the Drizzle schema',
    ]),
  )
})

test('a module without a table is a mistake, not an agreement', async () => {
  await expect(schemaDrift(database.url, { yard })).rejects.toThrow(TypeError)
})
