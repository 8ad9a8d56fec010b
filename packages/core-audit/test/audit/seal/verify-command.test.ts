import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '@vertical-kit/core-audit/database'
import { captureLog } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { verifyCommand } from '../../../src/audit/seal/verify/verify-command.ts'
import { openDatabase, openPool, runSql } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { addEvents, seal, sealingWorker, tamper } from './sealed-log.ts'

let fresh: FreshDatabase
let database: Database
beforeEach(async () => {
  fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
  database = openPool(fresh.url)
})

async function writeTemporary(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'anchors-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'host.log')
  await writeFile(file, text)
  return file
}

test('all anchors in the log of a host are compared, and later events and seals are reported', async () => {
  const log = captureLog('info')
  const worker = sealingWorker(database, { anchorIntervalMs: 0 })
  const signal = new AbortController().signal
  await worker.runOnce(signal, log.logger)
  for (const number of [1, 2]) {
    await addEvents(database, number, number)
    await worker.runOnce(signal, log.logger)
    await worker.runOnce(signal, log.logger)
  }
  await seal(database)
  await addEvents(database, 3, 3)
  await seal(database)
  await addEvents(database, 4, 4)
  const file = await writeTemporary(`2026-01-01 host started\n${log.lines.join('')}`)
  expect(await runAudit(fresh.url, ['verify', '--anchor', file])).toEqual({
    exitCode: 0,
    out: [
      'Verified 3 events and 3 seals, up to 2026-01-01T00:00:00.003Z (seal 3). 1 newer event is not sealed yet.',
      'Compared 2 anchors; the newest is that of seal 2. Not verified: that nobody replaced or removed seals after it.',
    ],
    err: ['Found 3 of 3 sealed events, up to 2026-01-01T00:00:00.003Z (seal 3).'],
  })
})

test('missing events do not count as found', async () => {
  await addEvents(database, 1, 6)
  await seal(database)
  await tamper(
    fresh.url,
    `delete from core_audit.audit_events where id in (select id from core_audit.audit_events order by id offset 2 limit 2)`,
  )
  const found = 'up to 2026-01-01T00:00:00.006Z (seal 1).'
  expect(await runAudit(fresh.url, ['verify'])).toMatchObject({
    exitCode: 3,
    out: [
      expect.stringMatching(/^missing: an event between /),
      `Found 4 of 6 sealed events and compared 1 seal, ${found} 0 newer events are not sealed yet.`,
      expect.stringMatching(/^Not verified/),
    ],
    err: [`Found 4 of 6 sealed events, ${found}`],
  })
})

test('a failure after a difference is printed, and the exit code is that of the difference', async () => {
  await addEvents(database, 1, 2)
  await seal(database)
  await tamper(fresh.url, 'delete from core_audit.audit_events')
  const failing: Database = {
    ...database,
    async read(work) {
      if (out.length > 0) await runSql(fresh.url, 'alter table core_audit.audit_events rename to lost')
      return database.read(work)
    },
  }
  const [out, err]: [string[], string[]] = [[], []]
  const work = verifyCommand.parse([])
  if (typeof work !== 'function') throw new Error('Not a command with a database')
  const exitCode = await work({
    ...{ database: failing, environment: {}, operator: 'olga' },
    write: (line) => void out.push(line),
    writeError: (line) => void err.push(line),
  })
  expect({ exitCode, out }).toEqual({
    exitCode: 3,
    out: [
      'missing: an event and all others of the seal (seal 1)',
      'The verification failed before its end, so there can be more differences.',
    ],
  })
  expect(err.at(-1)).toMatch(/^Its tables are missing/)
})

test('a failure without a difference ends with exit code 1', async () => {
  await addEvents(database, 1, 2)
  await seal(database)
  await runSql(fresh.url, 'alter table core_audit.audit_events rename correlation_id to lost')
  expect(await runAudit(fresh.url, ['verify'])).toMatchObject({
    exitCode: 1,
    out: [],
    err: expect.arrayContaining([expect.stringContaining('correlation_id')]),
  })
})

test('without a seal, nothing is verified, and the command fails', async () => {
  await addEvents(database, 1, 2)
  expect(await runAudit(fresh.url, ['verify'])).toEqual({
    exitCode: 1,
    out: ['There is no seal, so nothing was verified. 2 newer events are not sealed yet.'],
    err: [],
  })
  await seal(database)
  expect(await runAudit(fresh.url, ['verify', '--from', '2'])).toMatchObject({
    exitCode: 1,
    out: ['There is no seal from number 2 on, so nothing was verified.'],
  })
})

test('a file without an anchor, and a missing file, fail before anything is verified', async () => {
  const file = await writeTemporary(`sha256:${'a'.repeat(64)}\n`)
  expect(await runAudit(fresh.url, ['verify', '--anchor', file])).toEqual({
    exitCode: 2,
    out: [],
    err: [`--anchor: ${file} contains no anchor.`],
  })
  expect(await runAudit(fresh.url, ['verify', '--anchor', '/missing'])).toEqual({
    exitCode: 2,
    out: [],
    err: ['--anchor: /missing is neither an anchor nor a file that can be read.'],
  })
  expect(await runAudit(fresh.url, ['verify', '--anchor', '12:9f86d0'])).toEqual({
    exitCode: 2,
    out: [],
    err: ['--anchor: 12:9f86d0 is no anchor: the hash after the colon has 64 hexadecimal digits.'],
  })
})

test.each(['verify now', 'verify --from 0', 'verify --from x', 'verify --anchor', 'verify --all'])(
  'for the wrong arguments %j, the command prints the help and exits with code 2',
  async (line) => {
    const { exitCode, out, err } = await runAudit(fresh.url, line.split(' '))
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: [] })
    expect(err.join()).toContain('Usage: audit <command>')
  },
)

test('a statement of the commands has an hour, because seals of large events take long', async () => {
  // The message of an unknown year contains the names of the partitions.
  await runSql(
    fresh.url,
    `alter function core_audit.audit_partitions() rename to kept;
     create function core_audit.audit_partitions() returns table (name text, first_id uuid, end_id uuid)
     language sql stable as $$
       select * from core_audit.kept() union all select current_setting('statement_timeout'), null::uuid, null::uuid
     $$`,
  )
  expect(await runAudit(fresh.url, ['export', '--year', '1999', '--directory', 'none'])).toMatchObject({
    exitCode: 1,
    err: [expect.stringMatching(/ 1h\.$/)],
  })
})
