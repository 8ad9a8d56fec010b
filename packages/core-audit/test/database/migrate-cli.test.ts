import { type MigrationPack, migrate, runMigrateCommand } from '@vertical-kit/core-audit/database'
import { holdTransaction } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { openPool } from '../harness.ts'
import { emptyDatabase, rewritePack, shopFiles, writePack } from './migration-packs.ts'

async function run(
  argv: readonly string[],
  databaseUrl: string | undefined,
  packs: readonly MigrationPack[],
  onLine: (line: string) => void = () => {},
) {
  const [out, err]: [string[], string[]] = [[], []]
  const exitCode = await runMigrateCommand({
    argv,
    environment: { DATABASE_URL: databaseUrl },
    packs,
    write: (line) => {
      out.push(line)
      onLine(line)
    },
    writeError: (line) => void err.push(line),
  })
  return { exitCode, out, err }
}

test('plan lists the pending migrations and applies none', async () => {
  const url = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  const planned = {
    exitCode: 0,
    out: ['shop/0001-create-shop.sql', 'shop/0002-add-names.sql', '2 migrations to apply.'],
    err: [],
  }
  expect(await run(['plan'], url, [shop])).toEqual(planned)
  expect(await run(['plan'], url, [shop])).toEqual(planned)
})

test('up applies and lists the pending migrations, and a second run applies nothing', async () => {
  const url = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  expect(await run(['up'], url, [shop])).toEqual({
    exitCode: 0,
    out: ['applied  shop/0001-create-shop.sql', 'applied  shop/0002-add-names.sql', '2 migrations applied.'],
    err: [],
  })
  expect(await run(['up'], url, [shop])).toEqual({ exitCode: 0, out: ['Nothing to apply.'], err: [] })
  expect(await run(['plan'], url, [shop])).toEqual({ exitCode: 0, out: ['Nothing to apply.'], err: [] })
})

test('plan works after the separator that pnpm passes on', async () => {
  const { exitCode, out } = await run(['--', 'plan'], await emptyDatabase(), [])
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: ['Nothing to apply.'] })
})

test('up --dry-run runs the pending migrations and rolls them back', async () => {
  const url = await emptyDatabase()
  const shop = await writePack('shop', shopFiles)
  expect(await run(['up', '--dry-run'], url, [shop])).toEqual({
    exitCode: 0,
    out: [
      'would apply  shop/0001-create-shop.sql',
      'would apply  shop/0002-add-names.sql',
      '2 migrations would be applied; nothing was kept.',
    ],
    err: [],
  })
  expect((await run(['status'], url, [shop])).exitCode).toBe(3)
})

test('status lists when each migration was applied, and returns exit code 3 if migrations are pending', async () => {
  const url = await emptyDatabase()
  const shop = await writePack('shop', { '0001-create-shop.sql': shopFiles['0001-create-shop.sql'] })
  await migrate({ databaseUrl: url, packs: [shop] })
  const done = await run(['status'], url, [shop])
  expect(done).toEqual({
    exitCode: 0,
    out: [
      expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z {2}shop\/0001-create-shop\.sql$/),
      'Everything is applied.',
    ],
    err: [],
  })
  await rewritePack(shop, shopFiles)
  const pending = await run(['status'], url, [shop])
  expect(pending.exitCode).toBe(3)
  expect(pending.out.slice(1)).toEqual([
    'pending                   shop/0002-add-names.sql',
    '1 migration pending.',
  ])
})

test('for a failing migration, up returns exit code 1 and prints the file, the line and the error', async () => {
  const url = await emptyDatabase()
  const shop = await writePack('shop', {
    '0001-break.sql': 'create schema shop;\nselect * from shop.nothing;',
  })
  expect(await run(['up'], url, [shop])).toEqual({
    exitCode: 1,
    out: [],
    err: [
      'Migration shop/0001-break.sql failed at line 2 and was rolled back.',
      'relation "shop.nothing" does not exist (42P01)',
    ],
  })
})

test('up prints each attempt that follows an attempt without the locks', async () => {
  const url = await emptyDatabase()
  const shop = await writePack('shop', { '0001-create-shop.sql': shopFiles['0001-create-shop.sql'] })
  await migrate({ databaseUrl: url, packs: [shop] })
  await rewritePack(shop, shopFiles)
  const reader = await holdTransaction(openPool(url), (tx) => tx.execute(sql`select from shop.items`))
  const outcome = await run(['up'], url, [shop], (line) => {
    if (line.startsWith('retrying')) void reader.commit()
  })
  expect(outcome).toEqual({
    exitCode: 0,
    out: [
      'retrying shop/0002-add-names.sql, attempt 2: a lock was not available',
      'applied  shop/0002-add-names.sql',
      '1 migration applied.',
    ],
    err: [],
  })
})

test('for an unreachable server, up returns exit code 1, names the key and does not print the password', async () => {
  const shop = await writePack('shop', shopFiles)
  const { exitCode, err } = await run(['up'], 'postgres://app:s3cret@127.0.0.1:1/none', [shop])
  expect(exitCode).toBe(1)
  expect(err).toEqual([
    'No connection to the database (ECONNREFUSED). Start the server, or correct the host and port in DATABASE_URL.',
    expect.stringContaining('ECONNREFUSED'),
  ])
  expect(err.join()).not.toContain('s3cret')
})

test.each([undefined, '', '  '])(
  'up reports the missing address %j as a configuration error',
  async (databaseUrl) => {
    expect(await run(['up'], databaseUrl, [])).toEqual({
      exitCode: 78,
      out: [],
      err: ['DATABASE_URL: is required'],
    })
  },
)

test.each([['--help'], ['up --help'], ['-h']])('%s prints the help and runs no command', async (line) => {
  const { exitCode, out, err } = await run(line.split(' '), undefined, [])
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: [] })
  expect(out.join()).toContain('Usage: migrate <command>')
})

test.each([[''], ['down'], ['up --force'], ['constructor'], ['plan up']])(
  'the wrong arguments %j print the help, run no command and return exit code 2',
  async (line) => {
    const { exitCode, out, err } = await run(line.split(' ').filter(Boolean), undefined, [])
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: [] })
    expect(err.join()).toContain('Usage: migrate <command>')
  },
)
