import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { MigrationPack } from '@vertical-kit/core-audit/database'
import { freshDatabase } from '@vertical-kit/dev-services'
import { inject, onTestFinished } from 'vitest'
import { openConnection } from '../harness.ts'

/** Writes a pack to its own folder for one test. `files` maps each file name to its SQL text. */
export async function writePack(
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<MigrationPack> {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await Promise.all(Object.entries(files).map(([file, text]) => writeFile(join(directory, file), text)))
  return { name, directory: pathToFileURL(`${directory}/`) }
}

/** Changes the pack to a later release: adds or replaces the given files, and deletes each file with the text `null`. */
export async function rewritePack(
  pack: MigrationPack,
  files: Readonly<Record<string, string | null>>,
): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    const path = new URL(file, pack.directory)
    await (text === null ? rm(path) : writeFile(path, text))
  }
}

/** Writes the pack of an earlier release: its files before `first`, a number such as `0018`. */
export async function earlierPack(pack: MigrationPack, first: string): Promise<MigrationPack> {
  const earlier = await writePack(pack.name, {})
  await cp(pack.directory, earlier.directory, { recursive: true })
  for (const file of await readdir(earlier.directory)) {
    if (file >= first) await rm(new URL(file, earlier.directory))
  }
  return earlier
}

/** Creates an empty database for one test. */
export async function emptyDatabase(): Promise<string> {
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  return database.url
}

/** Runs a migrator of the pack `shop` in a separate process, so that the test can kill it. */
export function startMigrator(url: string, pack: MigrationPack): ChildProcess {
  const script = fileURLToPath(new URL('./fixtures/migrate-process.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--conditions=@vertical-kit/source', script, url, pack.directory.href],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Waits until `count` migrators have asked for the lock of the migrators and did not get it. */
export async function untilRefusedTurn(url: string, count: number): Promise<void> {
  const connection = openConnection(url)
  // A migrator that has its turn continues immediately with another statement.
  for (;;) {
    const waiting = await connection`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'vertical-kit-migrate' and state = 'idle'
        and query like '%pg_try_advisory_lock%'`
    if (waiting.count >= count) return
  }
}

/** Ends the sessions of the migrators of a database. */
export const terminateMigrator = (connection: ReturnType<typeof openConnection>) => connection`
  select pg_terminate_backend(pid, 30000) from pg_stat_activity
  where datname = current_database() and application_name = 'vertical-kit-migrate'`

/** The files of a small pack. The second file needs the table of the first file. */
export const shopFiles = {
  '0001-create-shop.sql': 'create schema shop; create table shop.items (id int primary key);',
  '0002-add-names.sql': `alter table shop.items add column name text not null default '';`,
}
