import { migrate, migrationStatus, rehearseMigrations } from '@vertical-kit/core-audit/database'
import { describe, expect, test } from 'vitest'
import { openConnection } from '../harness.ts'
import { emptyDatabase, rewritePack, shopFiles, writePack } from './migration-packs.ts'

/** Returns the relations and the ledger rows of the database. */
async function contentOf(url: string): Promise<unknown> {
  const connection = openConnection(url)
  const relations = await connection`
    select n.nspname || '.' || c.relname as name, array(
      select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 order by a.attnum
    ) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not like 'pg\_%' and n.nspname <> 'information_schema'
    order by 1`
  const exists = relations.some(({ name }) => name === 'core_audit.migrations')
  const ledger = exists ? await connection`select * from core_audit.migrations order by pack, file` : []
  await connection.end()
  return { relations: [...relations], ledger: [...ledger] }
}

const names = (migrations: readonly { pack: string; file: string }[]): readonly string[] =>
  migrations.map(({ pack, file }) => `${pack}/${file}`)

test('migrate applies each file once, in the order of the packs and of the file numbers', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  const desk = await writePack('desk', {
    '0001-create-desk.sql': 'create schema desk; create view desk.items as select name from shop.items;',
  })
  const reported: string[] = []
  const options = {
    databaseUrl,
    packs: [shop, desk],
    onApplied: (migration: { pack: string; file: string }) => void reported.push(...names([migration])),
  }

  const expected = ['shop/0001-create-shop.sql', 'shop/0002-add-names.sql', 'desk/0001-create-desk.sql']
  expect(names(await migrate(options))).toEqual(expected)
  expect(reported).toEqual(expected)
  expect(await migrate(options)).toEqual([])
})

test('migrationStatus returns applied and pending migrations and changes nothing', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', { '0001-create-shop.sql': shopFiles['0001-create-shop.sql'] })
  const untouched = await contentOf(databaseUrl)
  expect(await migrationStatus({ databaseUrl, packs: [shop] })).toMatchObject([
    { pack: 'shop', file: '0001-create-shop.sql', state: 'pending', appliedAtUtc: null },
  ])
  expect(await contentOf(databaseUrl)).toEqual(untouched)

  await migrate({ databaseUrl, packs: [shop] })
  await rewritePack(shop, shopFiles)
  const status = await migrationStatus({ databaseUrl, packs: [shop] })
  expect(status).toMatchObject([
    { file: '0001-create-shop.sql', state: 'applied', checksum: expect.stringMatching(/^[\da-f]{64}$/) },
    { file: '0002-add-names.sql', state: 'pending', appliedAtUtc: null },
  ])
  const appliedAtMs = Date.parse(status[0]?.appliedAtUtc ?? '')
  expect(Math.abs(appliedAtMs - Date.now())).toBeLessThan(60_000)
})

test('migrate applies only the new migrations of a later release', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', { '0001-create-shop.sql': shopFiles['0001-create-shop.sql'] })
  await migrate({ databaseUrl, packs: [shop] })
  await rewritePack(shop, shopFiles)
  expect(names(await migrate({ databaseUrl, packs: [shop] }))).toEqual(['shop/0002-add-names.sql'])
})

test('the ledger keeps the migrations of a package that is no longer listed', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  await migrate({ databaseUrl, packs: [shop] })
  expect(await migrate({ databaseUrl, packs: [] })).toEqual([])
  expect(await migrate({ databaseUrl, packs: [shop] })).toEqual([])
})

test('files with LF and with CRLF line endings have the same checksum and run the same SQL', async () => {
  const text = `create schema shop;\ncreate table shop.texts as select 'a\nb' as line;\n`
  const [unix, windows] = [await emptyDatabase(), await emptyDatabase()]
  const shop = await writePack('shop', { '0001-create-shop.sql': text })
  await migrate({ databaseUrl: unix, packs: [shop] })
  await rewritePack(shop, { '0001-create-shop.sql': text.replaceAll('\n', '\r\n') })
  await migrate({ databaseUrl: windows, packs: [shop] })
  expect(await migrate({ databaseUrl: unix, packs: [shop] })).toEqual([])
  const rows = await openConnection(windows)`select line from shop.texts`
  expect([...rows]).toEqual([{ line: 'a\nb' }])
})

describe('with a history that differs from the release', () => {
  test.each([
    [
      'an applied file that has changed',
      { '0001-create-shop.sql': `${shopFiles['0001-create-shop.sql']} -- better` },
      'shop/0001-create-shop.sql changed after it was applied',
    ],
    [
      'an applied file that is missing',
      { '0002-add-names.sql': null },
      'shop/0002-add-names.sql was applied to this database but is not in this release',
    ],
    [
      'a pack without any of its applied files',
      { '0001-create-shop.sql': null, '0002-add-names.sql': null },
      'was applied to this database but is not in this release',
    ],
  ])('%s is rejected, and nothing changes', async (_case, later, message) => {
    const databaseUrl = await emptyDatabase()
    const shop = await writePack('shop', shopFiles)
    const desk = await writePack('desk', { '0001-create-desk.sql': 'create schema desk;' })
    await migrate({ databaseUrl, packs: [shop] })
    const before = await contentOf(databaseUrl)
    await rewritePack(shop, later)
    // The pack with the pending file is listed first, but its file must not be applied.
    await expect(migrate({ databaseUrl, packs: [desk, shop] })).rejects.toThrow(message)
    await expect(migrationStatus({ databaseUrl, packs: [desk, shop] })).rejects.toThrow(message)
    await expect(rehearseMigrations({ databaseUrl, packs: [desk, shop] })).rejects.toThrow(message)
    expect(await contentOf(databaseUrl)).toEqual(before)
  })

  test('a file that was applied before an earlier file of its package is rejected, and nothing changes', async () => {
    const databaseUrl = await emptyDatabase()
    const shop = await writePack('shop', shopFiles)
    await migrate({ databaseUrl, packs: [shop] })
    await openConnection(databaseUrl)`delete from core_audit.migrations where file like '0001%'`
    const before = await contentOf(databaseUrl)
    await expect(migrate({ databaseUrl, packs: [shop] })).rejects.toThrow(
      'shop/0002-add-names.sql was applied before an earlier one of its package',
    )
    expect(await contentOf(databaseUrl)).toEqual(before)
  })
})

describe('without a connection to the database', () => {
  const databaseUrl = 'postgres://127.0.0.1:1/none'

  test.each([
    ['a gap', { '0001-a.sql': '', '0003-c.sql': '' }, 'form 0002-what-it-does.sql, found 0003-c.sql'],
    ['a duplicate', { '0001-a.sql': '', '0001-b.sql': '' }, 'form 0002-what-it-does.sql, found 0001-b.sql'],
    ['a malformed name', { '0001_a.sql': '' }, 'form 0001-what-it-does.sql, found 0001_a.sql'],
  ])('the migrator rejects %s', async (_case, files, message) => {
    const shop = await writePack('shop', files)
    await expect(migrate({ databaseUrl, packs: [shop] })).rejects.toThrow(message)
  })

  test('the migrator rejects a pack that is listed twice', async () => {
    const shop = await writePack('shop', shopFiles)
    await expect(migrate({ databaseUrl, packs: [shop, shop] })).rejects.toThrow('shop are listed twice')
  })
})

test('migrate accepts `begin` and `end` in a function, and ignores files that are not SQL', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', {
    'README.md': 'Not a migration.',
    '0001-create-shop.sql': `
      create schema shop;
      create function shop.committed() returns int language plpgsql as $$
      begin
        -- Contains "commit" in a comment; and in the middle of a line: commit;
        return 1;
      end;
      $$;`,
  })
  expect(await migrate({ databaseUrl, packs: [shop] })).toHaveLength(1)
})

test('a backslash in a text of a file is a character, whatever the setting of the database is', async () => {
  const databaseUrl = await emptyDatabase()
  const name = new URL(databaseUrl).pathname.slice(1)
  await openConnection(databaseUrl).unsafe(`alter database "${name}" set standard_conforming_strings = off`)
  const shop = await writePack('shop', {
    '0001-create-shop.sql': String.raw`create schema shop; create table shop.texts as select '\d'::text as text;`,
  })
  await migrate({ databaseUrl, packs: [shop] })
  const rows = await openConnection(databaseUrl)`select text from shop.texts`
  expect([...rows]).toEqual([{ text: String.raw`\d` }])
})

test('migrate writes nothing if everything is applied', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  await migrate({ databaseUrl, packs: [shop] })
  const name = new URL(databaseUrl).pathname.slice(1)
  await openConnection(databaseUrl).unsafe(`alter database "${name}" set default_transaction_read_only = on`)
  expect(await migrate({ databaseUrl, packs: [shop] })).toEqual([])
})

test('a failing file is rolled back, the error names the file and the line, and earlier files stay applied', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', {
    ...shopFiles,
    '0003-break.sql':
      'create table shop.half (id int);\ninsert into shop.half values (1);\n\nselect naem from shop.items;',
    '0004-after.sql': 'create table shop.after (id int);',
  })
  await expect(migrate({ databaseUrl, packs: [shop] })).rejects.toMatchObject({
    message: 'Migration shop/0003-break.sql failed at line 4 and was rolled back.',
    cause: { code: '42703' },
  })
  const status = await migrationStatus({ databaseUrl, packs: [shop] })
  expect(status.map(({ state }) => state)).toEqual(['applied', 'applied', 'pending', 'pending'])
  const rows = await openConnection(databaseUrl)`select to_regclass('shop.half') as half`
  expect(rows[0]?.['half']).toBeNull()

  await rewritePack(shop, { '0003-break.sql': 'select name from shop.items;' })
  expect(names(await migrate({ databaseUrl, packs: [shop] }))).toEqual([
    'shop/0003-break.sql',
    'shop/0004-after.sql',
  ])
})

test.each([
  'Commit;',
  'end;',
  'select 1; rollback work; create schema half;',
  'abort and chain;',
  `prepare transaction 'half';`,
  `/* ; */ commit and chain`,
])('a file that contains "%s" fails before it ends its transaction, and nothing is kept', async (end) => {
  const databaseUrl = await emptyDatabase()
  const before = await contentOf(databaseUrl)
  const shop = await writePack('shop', { '0001-create-shop.sql': `create schema shop;\n${end}` })
  const refusal = { cause: { code: '0A000' } }
  await expect(rehearseMigrations({ databaseUrl, packs: [shop] })).rejects.toMatchObject(refusal)
  expect(await contentOf(databaseUrl)).toEqual(before)
  await expect(migrate({ databaseUrl, packs: [shop] })).rejects.toMatchObject(refusal)
  const [row] = await openConnection(databaseUrl)`select to_regnamespace('shop') as shop`
  expect(row).toEqual({ shop: null })
})

test('a file that creates a table without a schema name fails', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', { '0001-careless.sql': 'create table items (id int);' })
  await expect(migrate({ databaseUrl, packs: [shop] })).rejects.toThrow('failed')
})

test('a rehearsal runs all pending files in order and rolls them back', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  const before = await contentOf(databaseUrl)
  expect(names(await rehearseMigrations({ databaseUrl, packs: [shop] }))).toEqual([
    'shop/0001-create-shop.sql',
    'shop/0002-add-names.sql',
  ])
  expect(await contentOf(databaseUrl)).toEqual(before)

  await rewritePack(shop, { '0002-add-names.sql': 'alter table shop.itmes add column name text;' })
  await expect(rehearseMigrations({ databaseUrl, packs: [shop] })).rejects.toThrow(
    'Migration shop/0002-add-names.sql failed',
  )
  expect(await contentOf(databaseUrl)).toEqual(before)
})
