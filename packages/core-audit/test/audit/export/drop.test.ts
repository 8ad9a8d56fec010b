import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { startPostgresProxy } from '@vertical-kit/core-audit/testing'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { checkExport } from '../../../src/audit/export/check-export.ts'
import { dropPartition } from '../../../src/audit/export/drop-partition.ts'
import { exportPartition } from '../../../src/audit/export/export-partition.ts'
import { listAuditEvents } from '../../../src/audit/queries/list-audit-events.ts'
import { listPartitions } from '../../../src/audit/queries/list-partitions.ts'
import { storedSecurityTarget } from '../../../src/audit/security-events.ts'
import { openConnection, openDatabase, openPool, runSql } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { createYears, fillYears } from '../years.ts'

let url: string
let directory: string
let database: Database
const thisYear = new Date().getUTCFullYear()
const year = thisYear - 3
const objectId = newId()

beforeEach(async () => {
  const fresh = await openDatabase()
  url = fresh.url
  await createYears(url, year, thisYear)
  await fillYears(url, { id: objectId, first: year, last: thisYear, count: 30 })
  database = openPool(url)
  directory = await mkdtemp(join(tmpdir(), 'audit-drop-'))
  await exportPartition(database, { year, directory, format: 'ndjson', eventsPerFile: 10 })
  return async () => {
    await rm(directory, { recursive: true })
    await fresh.drop()
  }
})

const drop = (of: number, retentionYears: string | undefined = '2') =>
  runAudit(url, ['drop', '--year', String(of), '--export', directory], {
    ...(retentionYears === undefined ? {} : { AuditLog__RetentionYears: retentionYears }),
  })

const names = async () => (await database.read(listPartitions)).map(({ name }) => name)
const partition = `audit_events_${year}`

async function expectRefusal(outcome: Awaited<ReturnType<typeof drop>>, text: string): Promise<void> {
  expect(outcome).toEqual({ exitCode: 1, out: [], err: [expect.stringContaining(text)] })
  expect(await names()).toContain(partition)
  const rows = await openConnection(url).unsafe(`select from core_audit.${partition}`)
  expect(rows.length).toBeGreaterThanOrEqual(30)
}

test('a verified year beyond the retention is dropped, and timelines end earlier', async () => {
  const list = async () =>
    (
      await database.read(async (db) =>
        listAuditEvents(db, await listPartitions(db), {
          target: { kind: 'Document', typeCode: 'order', id: objectId },
          ...{ modules: ['things'], limit: 200, cursor: null },
        }),
      )
    ).items.length
  expect(await list()).toBe(120)
  expect(await drop(year)).toEqual({
    exitCode: 0,
    out: [
      `${partition} with 30 events was dropped.`,
      `From now on, run audit verify with --dropped-before ${year + 1}.`,
    ],
    err: [],
  })
  expect(await names()).not.toContain(partition)
  expect(await openConnection(url)`select to_regclass(${`core_audit.${partition}`}) as found`).toEqual([
    { found: null },
  ])
  expect(await list()).toBe(90)
  expect(await drop(year)).toMatchObject({ exitCode: 1, err: [expect.stringContaining('already dropped')] })
})

test('one audit event records who dropped which export', async () => {
  const manifest = await readFile(join(directory, 'manifest.json'))
  await drop(year, '3')
  await drop(year)
  const { items } = await database.read(async (db) =>
    listAuditEvents(db, await listPartitions(db), {
      target: storedSecurityTarget('audit.partition', JSON.parse(manifest.toString()).endId),
      ...{ modules: ['core-audit'], limit: 200, cursor: null },
    }),
  )
  expect(items).toEqual([
    expect.objectContaining({
      actionCode: 'audit.partition_dropped',
      actor: null,
      metadata: {
        operator: 'olga',
        year,
        eventCount: 30,
        manifestSha256: createHash('sha256').update(manifest).digest('hex'),
      },
    }),
  ])
})

describe('nothing is dropped', () => {
  test('without a retention', async () => {
    await expectRefusal(
      await runAudit(url, ['drop', '--year', String(year), '--export', directory]),
      'AuditLog__RetentionYears',
    )
  })

  test('with an invalid retention', async () => {
    expect(await drop(year, '0')).toMatchObject({ exitCode: 78 })
    expect(await names()).toContain(partition)
  })

  test('before the end of the retention', async () => {
    await expectRefusal(await drop(year, '3'), 'is kept for 3 years after its end')
  })

  test('if the export is of another year', async () => {
    await expectRefusal(await drop(year + 1), `contains the export of ${year}`)
  })

  test('if an older partition exists', async () => {
    await runSql(url, `select core_audit.create_audit_partition(${year - 1})`)
    await expectRefusal(await drop(year), `audit_events_${year - 1} is older`)
  })

  test('if a file was changed together with its hash in the manifest', async () => {
    const path = join(directory, 'manifest.json')
    const manifest = JSON.parse(await readFile(path, 'utf8'))
    const file = join(directory, manifest.files[1].name)
    await writeFile(file, (await readFile(file, 'utf8')).replace('"changed"', '"removed"'))
    const { measureFile } = await import('../../../src/audit/export/event-file.ts')
    const measured = await measureFile(file)
    Object.assign(manifest.files[1], measured, { eventsSha256: measured.sha256 })
    await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`)
    await expectRefusal(
      await drop(year),
      'differ from those in the database. Run "audit verify" first, then export the year into a new folder.',
    )
  })

  test('if the partition received an event after the export', async () => {
    await runSql(
      url,
      `insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code)
       values (core_audit.first_event_id('${year}-12-31Z'), 'things', 'Document', 'order', '${newId()}', 'late')`,
    )
    await expectRefusal(
      await drop(year),
      'The database has events that the export lacks. Export the year into a new folder.',
    )
  })

  test('if the manifest names another table', async () => {
    const path = join(directory, 'manifest.json')
    const text = await readFile(path, 'utf8')
    for (const name of ['users', `audit_events_${year + 1}`]) {
      await writeFile(path, text.replace(`"${partition}"`, `"${name}"`))
      await expectRefusal(await drop(year), 'manifest.json contradicts itself')
    }
  })

  test('if the partition has other bounds than the export', async () => {
    await runSql(
      url,
      `alter table core_audit.audit_events detach partition core_audit.${partition};
       alter table core_audit.audit_events attach partition core_audit.${partition}
         for values from (core_audit.first_event_id('${year}-02-01Z')) to (core_audit.first_event_id('${year + 1}-01-01Z'))`,
    )
    await expectRefusal(await drop(year), 'has other bounds')
  })
})

test('a role that is not the owner learns that nothing has changed, and what to do', async () => {
  const role = `drop_${newId().replaceAll('-', '')}`
  await runSql(
    url,
    `create role ${role} login password 'drop'; grant usage on schema core_audit to ${role};
     grant select on all tables in schema core_audit to ${role}`,
  )
  const address = Object.assign(new URL(url), { username: role, password: 'drop' })
  const argv = ['drop', '--year', String(year), '--export', directory]
  const outcome = await runAudit(address.href, argv, { AuditLog__RetentionYears: '2' })
  await runSql(url, `drop owned by ${role}; drop role ${role}`)
  await expectRefusal(
    outcome,
    'is neither detached nor dropped. The server answered 42501. Use the owner of the tables in DATABASE_URL.',
  )
})

test('a view on the partition keeps it, and the next call continues', async () => {
  await runSql(url, `create view public.kept as select * from core_audit.${partition}`)
  const { exitCode, err } = await drop(year)
  expect(exitCode).toBe(1)
  expect(err).toEqual([expect.stringMatching(/is detached.* 2BP01\. Drop what depends on the table/)])
  await runSql(url, 'drop view public.kept')
  expect((await drop(year)).exitCode).toBe(0)
  expect(await names()).not.toContain(partition)
})

test('an export that runs during the drop is refused, and stays incomplete', async () => {
  const other = await mkdtemp(join(tmpdir(), 'audit-drop-'))
  onTestFinished(() => rm(other, { recursive: true }))
  let dropping: ReturnType<typeof drop> | undefined
  const waiting: Database = {
    ...database,
    async read(work) {
      await dropping
      return database.read(work)
    },
  }
  const exporting = exportPartition(waiting, {
    ...{ year, directory: other, format: 'ndjson', eventsPerFile: 10 },
    onFile: () => {
      dropping ??= drop(year)
    },
  })
  await expect(exporting).rejects.toMatchObject({ code: 'audit.partition_not_found' })
  expect(await dropping).toMatchObject({ exitCode: 0 })
  await expect(checkExport(other)).rejects.toMatchObject({ code: 'audit.export_incomplete' })
})

test('an export that is in the middle of a file during the drop replaces no file of a complete export', async () => {
  // More than one batch of a file.
  await fillYears(url, { id: newId(), first: year, last: year, count: 2_500 })
  const folder = await mkdtemp(join(tmpdir(), 'audit-drop-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const input = { year, directory: folder, format: 'ndjson', eventsPerFile: 2_400 } as const
  const slow: Database = {
    ...database,
    async read(work) {
      const result = await database.read(work)
      if (Array.isArray(result) && result.length === 2_000 && dropped === undefined) {
        await exportPartition(database, input)
        const argv = ['drop', '--year', String(year), '--export', folder]
        dropped = await runAudit(url, argv, { AuditLog__RetentionYears: '2' })
      }
      return result
    },
  }
  let dropped: Awaited<ReturnType<typeof runAudit>> | undefined
  await expect(exportPartition(slow, input)).rejects.toMatchObject({ code: 'audit.partition_not_found' })
  expect(dropped).toMatchObject({ exitCode: 0 })
  expect(await checkExport(folder)).toMatchObject({ eventCount: 2_530 })
})

test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
  'a drop whose detachment fails by %s names the state, and the next year is not dropped before it',
  async (interrupt) => {
    const reader = openConnection(url)
    await reader.unsafe(`begin isolation level repeatable read; select from core_audit.audit_events limit 1`)
    const dropping = drop(year)
    const admin = openConnection(url)
    const waiting = () => admin<{ pid: number }[]>`
    select pid from pg_locks where not granted and pid in (
      select pid from pg_stat_activity where datname = current_database() and query like '%detach partition%'
    )`
    await expect.poll(waiting).not.toHaveLength(0)
    for (const { pid } of await waiting()) await admin`select ${admin(interrupt)}(${pid})`
    expect(await dropping).toEqual({
      exitCode: 1,
      out: [],
      err: [expect.stringContaining('Run the command again.')],
    })
    await reader.unsafe('rollback')
    const next = await mkdtemp(join(tmpdir(), 'audit-drop-'))
    onTestFinished(() => rm(next, { recursive: true }))
    await exportPartition(database, { year: year + 1, directory: next, format: 'ndjson', eventsPerFile: 100 })
    const argv = ['drop', '--year', String(year + 1), '--export', next]
    expect(await runAudit(url, argv, { AuditLog__RetentionYears: '1' })).toEqual({
      exitCode: 1,
      out: [],
      err: [expect.stringContaining(`${partition} is older`)],
    })
    expect(await drop(year)).toMatchObject({ exitCode: 0 })
  },
)

test('of two drops at once, the first one succeeds, and the second one learns that the year was dropped', async () => {
  const reader = openConnection(url)
  await reader.unsafe(`begin isolation level repeatable read; select from core_audit.audit_events limit 1`)
  const admin = openConnection(url)
  const first = drop(year)
  await expect.poll(() => admin`select from pg_inherits where inhdetachpending`).toHaveLength(1)
  const second = drop(year)
  const dropping = () => admin`
    select from pg_stat_activity
    where application_name = 'vertical-kit-audit' and datname = current_database() and (
      query like '%advisory_lock%' or query like '%detach partition%'
    )`
  await expect.poll(dropping).toHaveLength(2)
  await reader.unsafe('rollback')
  expect(await first).toMatchObject({ exitCode: 0 })
  expect(await second).toMatchObject({ exitCode: 1, err: [expect.stringContaining('already dropped')] })
})

test('a drop is refused if another one still runs after a wait', async () => {
  await openConnection(url)`select pg_advisory_lock(hashtextextended('vertical-kit.audit-drop', 0))`
  const address = { databaseUrl: url, password: undefined }
  await expect(
    dropPartition({ address, year, directory, retentionYears: 2, operator: 'olga', waitMs: 300 }),
  ).rejects.toMatchObject({ code: 'audit.drop_running' })
  expect(await names()).toContain(partition)
})

test.each([
  ['before', `lock table core_audit.audit_events in share update exclusive mode`],
  [
    'after',
    `alter table core_audit.audit_events detach partition core_audit.${partition}; commit;
     begin; lock table core_audit.${partition} in access share mode`,
  ],
])('a table that somebody else drops %s the detachment is named as dropped', async (_, lock) => {
  const admin = openConnection(url)
  await admin.unsafe(`begin; ${lock}`)
  const dropping = drop(year)
  const observer = openConnection(url)
  const waiting = () => observer`
    select from pg_locks
    where not granted and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(waiting).toHaveLength(1)
  await admin.unsafe(`drop table core_audit.${partition}; commit`)
  expect(await dropping).toMatchObject({
    exitCode: 1,
    err: [`The partition ${partition} does not exist: it was already dropped.`],
  })
})

test('a drop continues one whose process has died while its detachment waited for an older transaction', async () => {
  const reader = openConnection(url)
  await reader.unsafe(`begin isolation level repeatable read; select from core_audit.audit_events limit 1`)
  const proxy = await startPostgresProxy(url)
  onTestFinished(() => proxy.stop())
  const argv = ['drop', '--year', String(year), '--export', directory]
  const dead = runAudit(proxy.url, argv, { AuditLog__RetentionYears: '2' })
  const admin = openConnection(url)
  await expect.poll(() => admin`select from pg_inherits where inhdetachpending`).toHaveLength(1)
  proxy.cut('close')
  expect(await dead).toMatchObject({ exitCode: 1, err: [expect.stringContaining('Run the command again.')] })
  const next = drop(year)
  const finalizing = () => admin`
    select from pg_stat_activity where datname = current_database() and query like '%detach partition%finalize'`
  await expect.poll(finalizing, { timeout: 30_000 }).toHaveLength(1)
  await reader.unsafe('rollback')
  expect(await next).toMatchObject({ exitCode: 0 })
})

test('an interrupted command continues with a detached partition', async () => {
  await openConnection(url).unsafe(
    `alter table core_audit.audit_events detach partition core_audit.${partition} concurrently`,
  )
  expect(await drop(year)).toMatchObject({ exitCode: 0 })
})

test('an interrupted detachment is completed, and readers and writers never wait', async () => {
  const reader = openConnection(url)
  await reader.unsafe(`begin isolation level repeatable read; select from core_audit.audit_events limit 1`)
  const detaching = openConnection(url)
  const [session] = await detaching<{ pid: number }[]>`select pg_backend_pid() as pid`
  const detachment = detaching
    .unsafe(`alter table core_audit.audit_events detach partition core_audit.${partition} concurrently`)
    .catch((error: unknown) => error)
  const admin = openConnection(url)
  const isWaiting = async () =>
    (await admin`select from pg_locks where pid = ${session?.pid ?? 0} and not granted`).length > 0
  while (!(await isWaiting()));
  // The detachment waits for the reader; others continue.
  await fillYears(url, { id: newId(), first: thisYear, last: thisYear, count: 1 })
  await admin`select pg_terminate_backend(${session?.pid ?? 0}, 30000)`
  await detachment
  await reader.unsafe('rollback')
  expect(await admin`select from pg_inherits where inhdetachpending`).toHaveLength(1)
  expect(await drop(year)).toMatchObject({ exitCode: 0 })
})
