import { blockingMigrations } from '@vertical-kit/core-audit/testing'
import { describe, expect, test } from 'vitest'
import { emptyDatabase, writePack } from '../database/migration-packs.ts'
import { openConnection, runSql } from '../harness.ts'

const created = `
  create schema shop;
  create table shop.items (id int primary key, code text not null, price numeric(10, 2));
  create table shop."Order Lines" (item_id int, count int);`

const rows: Readonly<Record<string, string>> = {
  'shop.items': `insert into shop.items select n, 'code ' || n, n % 100 from generate_series(1, 20000) n`,
  'shop."Order Lines"': 'insert into shop."Order Lines" select n, 1 from generate_series(1, 20000) n',
}

/** Checks a pack of two files: the first creates the tables. Returns the problems and the tables that were filled. */
async function check(text: string) {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', { '0001-create.sql': created, '0002-change.sql': text })
  const filled: string[] = []
  const problems = await blockingMigrations({
    databaseUrl,
    packs: [shop],
    async fill(table) {
      filled.push(table)
      await runSql(databaseUrl, rows[table] ?? '')
    },
  })
  return { problems, filled, databaseUrl }
}

const problem = (text: string) => expect.stringMatching(new RegExp(`^shop/0002-change\\.sql ${text}$`))

describe('reports', () => {
  test.each([
    ['an index that is built in a transaction', 'create index by_code on shop.items (code)', 'writers'],
    [
      'a unique constraint',
      'alter table shop.items add constraint codes unique (code)',
      'readers and writers',
    ],
    [
      'a change of a type that rewrites the table',
      'alter table shop.items alter code type varchar(50)',
      'readers and writers',
    ],
    [
      'a column with a volatile default',
      'alter table shop.items add column at timestamptz default clock_timestamp()',
      'readers and writers',
    ],
    [
      'a check constraint that is validated',
      'alter table shop.items add constraint positive check (price >= 0)',
      'readers and writers',
    ],
    [
      'a column that becomes mandatory',
      'alter table shop.items alter price set not null',
      'readers and writers',
    ],
    ['a rebuilt index', 'reindex index shop.items_pkey', 'readers and writers'],
    [
      'a validation in the transaction of its constraint',
      `
      alter table shop.items add constraint positive check (price >= 0) not valid;
      alter table shop.items validate constraint positive`,
      'readers and writers',
    ],
  ])('%s', async (_case, text, by) => {
    const { problems, filled } = await check(text)
    expect(problems).toEqual(
      by
        .split(' and ')
        .map((each) => problem(`blocks ${each} of shop\\.items while it processes [2-9]\\d{4,} rows`)),
    )
    expect(filled).toEqual(['shop.items'])
  })

  test('a foreign key that is validated, for both tables', async () => {
    const { problems, filled } = await check(
      'alter table shop."Order Lines" add constraint items foreign key (item_id) references shop.items (id)',
    )
    expect(problems).toEqual([
      problem('blocks writers of shop\\."Order Lines" while it processes \\d+ rows'),
      problem('blocks writers of shop\\.items while it processes \\d+ rows'),
    ])
    expect(filled.toSorted()).toEqual(['shop."Order Lines"', 'shop.items'])
  })

  test('a change of many rows', async () => {
    const { problems } = await check('update shop.items set price = 1')
    expect(problems).toEqual([
      problem('blocks writers of 20000 rows of shop\\.items, which it changes in one transaction'),
    ])
  })

  test('the removal of an index that does not exist', async () => {
    const { problems } = await check('-- transaction: none\ndrop index concurrently if exists shop.by_cod;')
    expect(problems).toEqual([problem('drops the index shop\\.by_cod, which does not exist')])
  })
})

describe('accepts', () => {
  test.each([
    [
      'new tables with rows and indexes',
      `
      create table shop.more as select n from generate_series(1, 20000) n;
      create index more_by_n on shop.more (n)`,
      [],
    ],
    ['a copy of a table', 'create table shop.copy as select * from shop.items', []],
    [
      'a new column with a constant default',
      `alter table shop.items add column note text not null default ''`,
      ['shop.items'],
    ],
    [
      'a constraint that is not validated',
      'alter table shop.items add constraint positive check (price >= 0) not valid',
      ['shop.items'],
    ],
    ['a longer type', 'alter table shop.items alter price type numeric(12, 2)', ['shop.items']],
    [
      'a new table that refers to an existing one',
      'create table shop.notes (item_id int references shop.items (id))',
      ['shop.items'],
    ],
    [
      'a trigger',
      `
      create function shop.nothing() returns trigger language plpgsql as 'begin return null; end';
      create trigger nothing after insert on shop.items for each row execute function shop.nothing()`,
      ['shop.items'],
    ],
    ['a few changed rows', 'update shop.items set price = 1 where id < 10', ['shop.items']],
    ['a dropped table', 'drop table shop.items', []],
    [
      'an index that is built outside a transaction',
      '-- transaction: none\ncreate index concurrently by_code on shop.items (code)',
      ['shop.items'],
    ],
  ])('%s', async (_case, text, tables) => {
    expect(await check(text)).toMatchObject({ problems: [], filled: tables })
  })

  test('the ways of the guide to change a large table', async () => {
    const databaseUrl = await emptyDatabase()
    const outside = (statement: string) => `-- transaction: none\n${statement};`
    const statements = [
      created,
      outside('create index concurrently by_code on shop.items (code)'),
      outside('drop index concurrently if exists shop.by_code'),
      outside('create unique index concurrently items_code_key on shop.items (code)'),
      'alter table shop.items add constraint items_code_key unique using index items_code_key',
      'alter table shop.items add constraint priced check (price is not null) not valid',
      'alter table shop.items validate constraint priced',
      'alter table shop.items alter price set not null; alter table shop.items drop constraint priced',
      `alter table shop."Order Lines" add constraint item
        foreign key (item_id) references shop.items (id) not valid`,
      'alter table shop."Order Lines" validate constraint item',
    ]
    const files = statements.map((statement, index) => [
      `${String(index + 1).padStart(4, '0')}-a.sql`,
      statement,
    ])
    const shop = await writePack('shop', Object.fromEntries(files))
    const fill = (table: string) => runSql(databaseUrl, rows[table] ?? '')
    expect(await blockingMigrations({ databaseUrl, packs: [shop], fill })).toEqual([])
    expect(await openConnection(databaseUrl)`select from core_audit.migrations`).toHaveLength(
      statements.length,
    )
  })
})
