import { migrate, migrationStatus, rehearseMigrations } from '@vertical-kit/core-audit/database'
import { describe, expect, test } from 'vitest'
import { openConnection } from '../harness.ts'
import { emptyDatabase, rewritePack, shopFiles, writePack } from './migration-packs.ts'

const declaration = '-- compatible: older releases keep working'
const compatible = `-- Faster searches by name.\n${declaration}\n\ncreate index items_name on shop.items (name);`
const incompatible = '-- Older code reads the column.\n\nalter table shop.items drop column name;'

/** Creates a database with these migrations of a newer release. Returns its address and the pack of the older release. */
async function newerDatabase(newer: Readonly<Record<string, string>>) {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', { ...shopFiles, ...newer })
  await migrate({ databaseUrl, packs: [shop] })
  await rewritePack(shop, Object.fromEntries(Object.keys(newer).map((file) => [file, null])))
  return { databaseUrl, packs: [shop] }
}

const declared = async (databaseUrl: string) => [
  ...(await openConnection(databaseUrl)`select file, is_compatible from core_audit.migrations order by file`),
]

test('the ledger stores whether the first comment of a migration declares compatibility', async () => {
  const { databaseUrl } = await newerDatabase({
    '0003-find-by-name.sql': compatible,
    '0004-drop-name.sql': incompatible,
    '0005-windows.sql': `${declaration}\r\nselect 1;`,
    '0006-elsewhere.sql': `select 1;\n${declaration}`,
  })
  expect(await declared(databaseUrl)).toEqual([
    { file: '0001-create-shop.sql', is_compatible: false },
    { file: '0002-add-names.sql', is_compatible: false },
    { file: '0003-find-by-name.sql', is_compatible: true },
    { file: '0004-drop-name.sql', is_compatible: false },
    { file: '0005-windows.sql', is_compatible: true },
    { file: '0006-elsewhere.sql', is_compatible: false },
  ])
})

test('an older release accepts a schema if all newer migrations are compatible', async () => {
  const options = await newerDatabase({ '0003-find-by-name.sql': compatible, '0004-again.sql': declaration })
  expect(await migrate(options)).toEqual([])
  expect(await rehearseMigrations(options)).toEqual([])
  expect((await migrationStatus(options)).map(({ file, state }) => [file, state])).toEqual([
    ['0001-create-shop.sql', 'applied'],
    ['0002-add-names.sql', 'applied'],
  ])
})

test('an older release rejects incompatible newer migrations and names each of them', async () => {
  const options = await newerDatabase({
    '0003-find-by-name.sql': compatible,
    '0004-drop-name.sql': incompatible,
    '0005-nothing.sql': 'select 1;',
  })
  const message = [
    'Migration shop/0004-drop-name.sql was applied to this database but is not in this release.',
    'Migration shop/0005-nothing.sql was applied to this database but is not in this release.',
    'Use a release that contains it: an older one continues only if the migration is declared compatible.',
  ].join('\n')
  await expect(migrate(options)).rejects.toThrow(message)
  await expect(rehearseMigrations(options)).rejects.toThrow(message)
  await expect(migrationStatus(options)).rejects.toThrow(message)
})

describe('the migrator rejects a compatible migration', () => {
  test('that has another file name in this release', async () => {
    const options = await newerDatabase({ '0003-find-by-name.sql': compatible })
    const [shop] = options.packs
    if (shop === undefined) throw new Error('no pack')
    await rewritePack(shop, { '0003-renamed.sql': compatible })
    await expect(migrate(options)).rejects.toThrow(
      'Migration shop/0003-find-by-name.sql was applied to this database but is not in this release.',
    )
  })

  test('that was applied before a pending migration', async () => {
    const options = await newerDatabase({
      '0003-nothing.sql': 'select 1;',
      '0004-find-by-name.sql': compatible,
    })
    const [shop] = options.packs
    if (shop === undefined) throw new Error('no pack')
    await openConnection(options.databaseUrl)`delete from core_audit.migrations where file like '0003%'`
    await rewritePack(shop, { '0003-nothing.sql': 'select 1;' })
    await expect(migrate(options)).rejects.toThrow(
      'Migration shop/0004-find-by-name.sql was applied before an earlier one of its package.',
    )
  })
})

test('a ledger without the column is_compatible is readable, and the next migrator adds the column', async () => {
  const databaseUrl = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  await migrate({ databaseUrl, packs: [shop] })
  await openConnection(databaseUrl)`alter table core_audit.migrations drop column is_compatible`
  expect((await migrationStatus({ databaseUrl, packs: [shop] })).map(({ state }) => state)).toEqual([
    'applied',
    'applied',
  ])
  await rewritePack(shop, { '0003-find-by-name.sql': compatible })
  expect(await rehearseMigrations({ databaseUrl, packs: [shop] })).toHaveLength(1)
  expect(await migrate({ databaseUrl, packs: [shop] })).toHaveLength(1)
  expect((await declared(databaseUrl)).map(({ is_compatible }) => is_compatible)).toEqual([
    false,
    false,
    true,
  ])
})

test.each([
  '-- compatible: yes',
  '-- Compatible: older releases keep working',
  `${declaration}, mostly`,
  '--compatible:',
])('the migrator rejects the misspelled declaration “%s”', async (line) => {
  const shop = await writePack('shop', { '0001-create-shop.sql': `-- The shop.\n${line}\nselect 1;` })
  await expect(migrate({ databaseUrl: 'postgres://127.0.0.1:1/none', packs: [shop] })).rejects.toThrow(
    `shop/0001-create-shop.sql: the only valid declaration is "${declaration}"`,
  )
})
