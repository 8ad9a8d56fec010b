import { once } from 'node:events'
import { migrate, migrationStatus, rehearseMigrations } from '@vertical-kit/core-audit/database'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openConnection, openPool } from '../harness.ts'
import {
  emptyDatabase,
  rewritePack,
  shopFiles,
  startMigrator,
  terminateMigrator,
  untilRefusedTurn,
  writePack,
} from './migration-packs.ts'

const build =
  '-- Finds items by name.\n-- transaction: none\n\ncreate index concurrently items_by_name on shop.items (name);'
const buildUnique = build.replace('index', 'unique index')
const drop = '-- transaction: none\n\ndrop index concurrently if exists shop.items_by_name;\n'

/** Creates a database with the pack's first files, and then adds the files to the pack. */
async function shopWith(files: Readonly<Record<string, string>>) {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  await migrate({ databaseUrl, packs: [shop] })
  await rewritePack(shop, files)
  const connection = openConnection(databaseUrl)
  await connection`insert into shop.items select n, 'item ' || n from generate_series(1, 100) n`
  return { databaseUrl, shop, packs: [shop], connection }
}

/** Returns the indexes of shop.items without its primary key. */
async function indexesOf(connection: ReturnType<typeof openConnection>) {
  return [
    ...(await connection<{ name: string; oid: number; isValid: boolean; isUnique: boolean }[]>`
      select relname as name, indexrelid::int as oid, indisvalid as "isValid", indisunique as "isUnique"
      from pg_index
      join pg_class on pg_class.oid = indexrelid
      where indrelid = 'shop.items'::regclass and not indisprimary
      order by 1`),
  ]
}

const states = async (options: Parameters<typeof migrationStatus>[0]) =>
  (await migrationStatus(options)).map(({ state }) => state)

/** Starts a transaction that has written to shop.items. A concurrent index build waits for it. */
const holdWriter = (databaseUrl: string) =>
  holdTransaction(openPool(databaseUrl), (tx) =>
    tx.execute(sql`update shop.items set name = 'changed' where id = 1`),
  )

/** Starts a transaction that has read from the database. A concurrent index build waits for it before it ends. */
const holdSnapshot = (databaseUrl: string) =>
  holdTransaction(openPool(databaseUrl), async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read`)
    return tx.execute(sql`select from shop.items`)
  })

test('a file that declares "transaction: none" builds an index while a writer is in its transaction', async () => {
  const { databaseUrl, packs, connection } = await shopWith({ '0003-by-name.sql': build })
  const writer = await holdWriter(databaseUrl)
  const run = migrate({ databaseUrl, packs })
  await untilBlocked(openPool(databaseUrl))
  // These statements finish although the build is not finished.
  await connection`update shop.items set name = 'other' where id = 2`
  await connection`select from shop.items`
  expect(await indexesOf(connection)).toMatchObject([{ name: 'items_by_name', isValid: false }])
  expect(await states({ databaseUrl, packs })).toEqual(['applied', 'applied', 'pending'])
  await writer.commit()
  expect((await run).map(({ file }) => file)).toEqual(['0003-by-name.sql'])
  expect(await indexesOf(connection)).toMatchObject([{ name: 'items_by_name', isValid: true }])
  expect(await migrate({ databaseUrl, packs })).toEqual([])
})

test('a file that declares "transaction: none" drops an index', async () => {
  const { databaseUrl, packs, connection } = await shopWith({
    '0003-by-name.sql': build,
    '0004-drop.sql': drop,
  })
  expect(await migrate({ databaseUrl, packs })).toHaveLength(2)
  expect(await indexesOf(connection)).toEqual([])
  expect(await migrate({ databaseUrl, packs })).toEqual([])
})

test('the rehearsal of an index can take longer than 10 minutes', async () => {
  const { databaseUrl, packs } = await shopWith({ '0003-by-name.sql': build })
  const [writer, observer] = [await holdWriter(databaseUrl), openPool(databaseUrl)]
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  // The build waits for the writer, as it would work on a large table.
  const rehearsal = rehearseMigrations({ databaseUrl, packs, lockTimeoutMs: 60_000 })
  await untilBlocked(observer)
  vi.advanceTimersByTime(601_000)
  await writer.commit()
  expect((await rehearsal).map(({ file }) => file)).toEqual(['0003-by-name.sql'])
})

describe('after an interruption', () => {
  test.each([
    ['its first phase', holdWriter],
    ['its last phase', holdSnapshot],
  ])('of the session in %s, the next migrator replaces the invalid index', async (_phase, hold) => {
    const { databaseUrl, packs, connection } = await shopWith({ '0003-by-name.sql': build })
    const older = await hold(databaseUrl)
    const outcome = expect(migrate({ databaseUrl, packs })).rejects.toThrow(
      'Migration shop/0003-by-name.sql failed and can have left the invalid index shop.items_by_name, which the next run removes.',
    )
    await untilBlocked(openPool(databaseUrl))
    await terminateMigrator(connection)
    await outcome
    await older.commit()
    const [broken] = await indexesOf(connection)
    expect(broken?.isValid).toBe(false)
    expect(await states({ databaseUrl, packs })).toEqual(['applied', 'applied', 'pending'])

    expect(await migrate({ databaseUrl, packs })).toHaveLength(1)
    const [index, ...others] = await indexesOf(connection)
    expect([index?.isValid, others]).toEqual([true, []])
    expect(index?.oid).not.toBe(broken?.oid)
  })

  test('of the process, the server finishes the index, and the next migrator only records it', async () => {
    const { databaseUrl, shop, packs, connection } = await shopWith({ '0003-by-name.sql': build })
    const writer = await holdWriter(databaseUrl)
    const child = startMigrator(databaseUrl, shop)
    await untilBlocked(openPool(databaseUrl))
    child.kill('SIGKILL')
    await once(child, 'exit')
    const [unfinished] = await indexesOf(connection)

    const next = migrate({ databaseUrl, packs })
    await untilRefusedTurn(databaseUrl, 1)
    await writer.commit()
    expect(await next).toHaveLength(1)
    expect(await indexesOf(connection)).toEqual([{ ...unfinished, isValid: true }])
  })

  test('between the statement and its record, the next migrator only records the index', async () => {
    const { databaseUrl, packs, connection } = await shopWith({ '0003-by-name.sql': buildUnique })
    await connection`create unique index items_by_name on shop.items (name)`
    const built = await indexesOf(connection)
    expect(await migrate({ databaseUrl, packs })).toHaveLength(1)
    expect(await indexesOf(connection)).toEqual(built)
  })

  test('of a removal, the next migrator completes it', async () => {
    const { databaseUrl, shop, packs, connection } = await shopWith({ '0003-by-name.sql': build })
    await migrate({ databaseUrl, packs })
    await rewritePack(shop, { '0004-drop.sql': drop })
    const writer = await holdWriter(databaseUrl)
    const outcome = expect(migrate({ databaseUrl, packs })).rejects.toThrow('shop/0004-drop.sql failed')
    await untilBlocked(openPool(databaseUrl))
    await terminateMigrator(connection)
    await outcome
    await writer.commit()
    expect(await indexesOf(connection)).toMatchObject([{ isValid: false }])

    expect(await migrate({ databaseUrl, packs })).toHaveLength(1)
    expect(await indexesOf(connection)).toEqual([])
  })
})

test('a build that fails removes its invalid index, and can be repeated after the cause is gone', async () => {
  const { databaseUrl, packs, connection } = await shopWith({ '0003-by-name.sql': buildUnique })
  await connection`update shop.items set name = 'same' where id <= 2`
  await expect(migrate({ databaseUrl, packs })).rejects.toMatchObject({
    message: 'Migration shop/0003-by-name.sql failed and left nothing behind.',
    cause: { code: '23505' },
  })
  expect(await indexesOf(connection)).toEqual([])
  await connection`update shop.items set name = 'item ' || id`
  expect(await migrate({ databaseUrl, packs })).toHaveLength(1)
  expect(await indexesOf(connection)).toMatchObject([{ isValid: true, isUnique: true }])
})

test('a build that waits too long for an older transaction fails', async () => {
  const { databaseUrl, packs } = await shopWith({ '0003-by-name.sql': build })
  const writer = await holdWriter(databaseUrl)
  const options = { databaseUrl, packs, indexWaitMs: 20, lockTimeoutMs: 20 }
  await expect(migrate(options)).rejects.toMatchObject({
    message: expect.stringContaining('Migration shop/0003-by-name.sql failed'),
    cause: { code: '55P03' },
  })
  await writer.commit()
  expect(await migrate({ databaseUrl, packs })).toHaveLength(1)
})

test.each([
  ['other columns', 'create index items_by_name on shop.items (name, id)'],
  ['other included columns', 'create index items_by_name on shop.items (name) include (id)'],
  ['another condition', 'create index items_by_name on shop.items (name) where id > 1'],
  ['uniqueness', 'create unique index items_by_name on shop.items (name)'],
])('a valid index of the same name with %s is rejected and kept', async (_case, other) => {
  const { databaseUrl, packs, connection } = await shopWith({ '0003-by-name.sql': build })
  await connection.unsafe(other)
  const before = await indexesOf(connection)
  await expect(migrate({ databaseUrl, packs })).rejects.toMatchObject({
    message: expect.stringContaining('shop/0003-by-name.sql failed'),
    cause: { message: expect.stringContaining('shop.items_by_name already exists with another definition') },
  })
  expect(await indexesOf(connection)).toEqual(before)
})

test('the error contains the line of the failure', async () => {
  const { databaseUrl, packs } = await shopWith({ '0003-by-name.sql': build.replace(';', ' wher true;') })
  await expect(migrate({ databaseUrl, packs })).rejects.toMatchObject({
    message: 'Migration shop/0003-by-name.sql failed at line 4 and left nothing behind.',
    cause: { code: '42601' },
  })
})

test('the server rejects a second statement that a literal hides', async () => {
  const hidden = build.replace(';', ` where name <> E'\\''; drop table shop.items; --'`)
  const { databaseUrl, packs, connection } = await shopWith({ '0003-by-name.sql': hidden })
  await expect(migrate({ databaseUrl, packs })).rejects.toMatchObject({ cause: { code: '25001' } })
  expect(await indexesOf(connection)).toEqual([])
})

test('a second statement that a literal hides runs neither beside an existing index nor in a rehearsal', async () => {
  const hidden = build.replace(';', ` where name <> E'\\''; drop table shop.items; commit; --'`)
  const { databaseUrl, packs, connection } = await shopWith({ '0003-by-name.sql': hidden })
  await expect(rehearseMigrations({ databaseUrl, packs })).rejects.toMatchObject({ cause: { code: '42601' } })
  await connection`create index items_by_name on shop.items (name)`
  await expect(migrate({ databaseUrl, packs })).rejects.toMatchObject({ cause: { code: '42601' } })
  expect(await indexesOf(connection)).toHaveLength(1)
})

test('a second migrator waits for a build without blocking it', async () => {
  const { databaseUrl, packs } = await shopWith({ '0003-by-name.sql': build })
  const writer = await holdWriter(databaseUrl)
  const first = migrate({ databaseUrl, packs })
  await untilBlocked(openPool(databaseUrl))
  const second = migrate({ databaseUrl, packs })
  await untilRefusedTurn(databaseUrl, 1)
  await writer.commit()
  expect((await Promise.all([first, second])).map(({ length }) => length)).toEqual([1, 0])
})

test('a rehearsal builds and drops indexes in its transaction and rolls them back', async () => {
  const { databaseUrl, packs, connection } = await shopWith({
    '0003-by-name.sql': build,
    '0004-drop.sql': drop,
    '0005-unique.sql': buildUnique,
  })
  expect(await rehearseMigrations({ databaseUrl, packs })).toHaveLength(3)
  expect(await indexesOf(connection)).toEqual([])
  await connection`update shop.items set name = 'same'`
  await expect(rehearseMigrations({ databaseUrl, packs })).rejects.toThrow('shop/0005-unique.sql failed')
})

test('a table and an index with quoted names and an expression are accepted', async () => {
  const { databaseUrl, shop, packs, connection } = await shopWith({
    '0003-quote.sql': 'create table shop."Big; Items" ("select" text);',
    '0004-index.sql': `-- transaction: none
      create index /* ; */ concurrently "By; name" on shop."Big; Items" using btree (lower("select"), ('a;''b' || "select"))
      where "select" <> $$;$$`,
  })
  expect(await migrate({ databaseUrl, packs })).toHaveLength(2)
  // The definition is the same, although the ledger does not contain the file.
  await connection`delete from core_audit.migrations where file = '0004-index.sql'`
  expect(await migrate({ databaseUrl, packs: [shop] })).toHaveLength(1)
})

const oneStatement = 'shop/0001-a.sql runs outside a transaction, so it must contain exactly one statement.'
const repeatable = 'shop/0001-a.sql runs outside a transaction, so its statement must be safe to repeat'
const onlyDeclaration = 'shop/0001-a.sql: the only valid declaration is "-- transaction: none"'

test.each([
  ['no statement', '-- transaction: none\n-- create index concurrently a on b.c (d);', oneStatement],
  ['two statements', `${build}\nselect 1;`, oneStatement],
  ['two statements on a line', `${build.trimEnd()} drop table shop.items`, oneStatement],
  ['a build that blocks writes', build.replace('concurrently ', ''), repeatable],
  ['a build without the name of the index', build.replace('items_by_name ', ''), repeatable],
  ['a build without the schema of the table', build.replace('shop.', ''), repeatable],
  ['a build that skips an existing index', build.replace('items_by_name', 'if not exists $&'), repeatable],
  ['a removal that fails if the index is gone', drop.replace('if exists ', ''), repeatable],
  ['a removal that blocks writes', drop.replace('concurrently ', ''), repeatable],
  ['a removal of two indexes', drop.replace(';', ', shop.other;'), repeatable],
  ['another statement', '-- transaction: none\nreindex index concurrently shop.items_by_name;', repeatable],
  ['an update', '-- transaction: none\nupdate shop.items set name = name;', repeatable],
  ['a misspelled value', build.replace('none', 'off'), onlyDeclaration],
  ['a declaration with a remark', build.replace('none', 'none, because'), onlyDeclaration],
  ['a declaration with another spacing', build.replace('-- transaction', '--transaction'), onlyDeclaration],
])('the migrator rejects a file outside a transaction with %s', async (_case, text, message) => {
  const shop = await writePack('shop', { '0001-a.sql': text })
  await expect(migrate({ databaseUrl: 'postgres://127.0.0.1:1/none', packs: [shop] })).rejects.toThrow(
    message,
  )
})
