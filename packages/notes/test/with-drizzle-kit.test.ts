import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brokenConstraint } from '@vertical-kit/core-audit'
import { coreMigrations, createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { migrationTemplate } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { notesMigrations } from '@vertical-kit/notes'
import { type SQL, sql } from 'drizzle-orm/sql'
import { expect, inject, onTestFinished, test } from 'vitest'

const guide = new URL('../../../docs/guides/with-drizzle-kit.md', import.meta.url)
const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const run = promisify(execFile)

/** Creates a folder for an application. The folder contains the exact files that the guide shows. */
async function openApplication(databaseUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), 'with-drizzle-kit-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'node_modules/@vertical-kit'), { recursive: true })
  for (const name of ['drizzle-orm', 'drizzle-kit', '@vertical-kit/core-audit']) {
    await symlink(join(modules, name), join(folder, 'node_modules', name))
  }
  await symlink(join(modules, '..'), join(folder, 'node_modules/@vertical-kit/notes'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'crm', type: 'module' }))
  for (const [, text = '', name = ''] of (await readFile(guide, 'utf8')).matchAll(
    /```ts\n(\/\/ (\S+)\n[\s\S]*?)```/g,
  )) {
    await writeFile(join(folder, name), text)
  }
  const node = async (...args: readonly string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl }
    const command = ['--conditions=@vertical-kit/source', ...args]
    const { stdout } = await run(process.execPath, command, { cwd: folder, env }).catch((cause) => {
      throw new Error(`${args.join(' ')} failed:\n${cause.stdout}${cause.stderr}`, { cause })
    })
    return stdout
  }
  return {
    folder,
    migrations: join(folder, 'migrations'),
    node,
    drizzleKit: (...args: readonly string[]) => node('node_modules/drizzle-kit/bin.cjs', ...args),
  }
}

/** Creates a new database. It contains the tables of the packages if `state` is `migrated`, and no tables otherwise. */
async function openDatabase(state: 'empty' | 'migrated') {
  const options =
    state === 'empty'
      ? {}
      : { template: await migrationTemplate('notes_alone', [coreMigrations, notesMigrations]) }
  const { url, drop } = await freshDatabase(inject('postgresUrl'), options)
  onTestFinished(drop)
  const database = createDatabase({ ...databaseDefaults, url })
  onTestFinished(() => database.close())
  return { url, execute: (statement: SQL) => database.statement((tx) => tx.execute(statement)) }
}

test("a generated migration creates only the application's table, and the migrator of the kit can apply it", async () => {
  const { url, execute } = await openDatabase('empty')
  const application = await openApplication(url)
  const { migrations } = application

  await application.drizzleKit('generate', '--name', 'create-follow-ups')
  const text = await readFile(join(migrations, '0000_create-follow-ups.sql'), 'utf8')
  expect(text.match(/^create .*$/gim)).toEqual(['CREATE SCHEMA "crm";', 'CREATE TABLE "crm"."follow_ups" ('])
  expect(text).toContain('REFERENCES "notes"."notes"("id")')

  await rename(join(migrations, '0000_create-follow-ups.sql'), join(migrations, '0001-create-follow-ups.sql'))
  await application.node('migrate.ts')
  await execute(sql`
    insert into core_audit.users (id, subject, display_name)
    values ('018f0000-0000-7000-8000-00000000000a', 'ann', 'Ann')`)
  await execute(sql`
    insert into notes.notes (
      id, target_kind, target_type_code, target_id, text, created_by_user_id, updated_by_user_id
    )
    values (
      '018f0000-0000-7000-8000-000000000001', 'Document', 'trade.sales_invoice', gen_random_uuid(), 'Call back',
      '018f0000-0000-7000-8000-00000000000a', '018f0000-0000-7000-8000-00000000000a'
    )`)
  const followUp = (noteId: string) =>
    execute(sql`
      insert into crm.follow_ups (id, note_id, remark)
      values (gen_random_uuid(), ${noteId}::uuid, 'on Monday')`)
  await followUp('018f0000-0000-7000-8000-000000000001')
  const refusal = await followUp('018f0000-0000-7000-8000-000000000002').catch(brokenConstraint)
  expect(refusal).toBe('follow_ups_note_id_notes_id_fk')

  expect(JSON.parse(await application.node('list-follow-ups.ts'))).toEqual([
    { remark: 'on Monday', note: 'Call back', author: 'Ann' },
  ])
  expect(await application.drizzleKit('generate', '--name', 'again')).toContain('No schema changes')
  expect(await application.drizzleKit('push', '--strict')).toContain('No changes detected')
})

test('drizzle-kit can apply a generated migration to a database that already contains the package tables', async () => {
  const { url, execute } = await openDatabase('migrated')
  const { drizzleKit } = await openApplication(url)
  await drizzleKit('generate', '--name', 'create-follow-ups')
  await drizzleKit('migrate')
  await drizzleKit('migrate')
  expect(await execute(sql`select count(*)::int as count from drizzle.__drizzle_migrations`)).toEqual([
    { count: 1 },
  ])
  expect(await execute(sql`select remark from crm.follow_ups`)).toEqual([])
})

test('if the schema of the application re-exports a package table, drizzle-kit creates this table too', async () => {
  const application = await openApplication('postgres://unused@127.0.0.1:1/none')
  const schema = join(application.folder, 'schema.ts')
  await writeFile(schema, `${await readFile(schema, 'utf8')}\nexport { notes }\n`)
  await application.drizzleKit('generate', '--name', 'all')
  expect(await readFile(join(application.migrations, '0000_all.sql'), 'utf8')).toContain(
    'CREATE TABLE "notes"."notes"',
  )
})
