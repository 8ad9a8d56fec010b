import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@vertical-kit/core-audit'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkExport } from '../../../src/audit/export/check-export.ts'
import { type ExportInput, exportPartition } from '../../../src/audit/export/export-partition.ts'
import { openConnection, openDatabase, runSql } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { createYears, fillYears } from '../years.ts'

let fresh: FreshDatabase
let database: Database
const thisYear = new Date().getUTCFullYear()
const year = thisYear - 3

/** Values that differ between formats and programs: line separators, quotes, digits of numbers, microseconds, nulls. */
const awkward = {
  text: 'a\u2028b "c" \\ \n ü 😀',
  number: '12345678901234567890.123456789012345678901234567890',
  at: `${year}-06-30 23:59:59.000001+00`,
}

beforeAll(async () => {
  fresh = await openDatabase()
  await createYears(fresh.url, year - 1, thisYear)
  await fillYears(fresh.url, { id: newId(), first: year - 1, last: thisYear, count: 2_345 })
  await runSql(
    fresh.url,
    `insert into core_audit.audit_events (
       id, module, target_kind, target_type_code, target_id, action_code, occurred_at, actor_user_id, correlation_id, metadata, changes
     )
     values (
       core_audit.first_event_id('${awkward.at}'), 'things', 'Document', 'order', '${newId()}', 'changed', '${awkward.at}', '${newId()}',
       'request-1', '{"n": ${awkward.number}}', jsonb_build_array(${sqlText(awkward.text)})
     )`,
  )
  database = createDatabase({ ...databaseDefaults, url: fresh.url })
  return async () => {
    await database.close()
    await fresh.drop()
  }
})

const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'::text`

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'audit-export-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

const run = async (input: Partial<ExportInput> & Pick<ExportInput, 'directory'>) =>
  exportPartition(database, { year, format: 'ndjson', eventsPerFile: 1_000, ...input })

/** Returns the database, with an action before the fourth read: the third one returns the first 2,000 events of a file. */
function withinFile(act: () => Promise<void>): Database {
  let readCount = 0
  return {
    ...database,
    async read(work) {
      readCount += 1
      if (readCount === 4) await act()
      return database.read(work)
    },
  }
}

const textOf = (manifest: object) => `${JSON.stringify(manifest, null, 2)}\n`

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

describe.each(['ndjson', 'parquet'] as const)('%s', (format) => {
  test('numbered files contain every event of the year once, and the manifest has their hashes', async () => {
    const directory = await folder()
    const manifest = await run({ directory, format })
    expect(manifest).toMatchObject({ year, format, isComplete: true, eventCount: 2_346 })
    const names = manifest.files.map(({ name }) => name)
    expect(names).toEqual(['000001', '000002', '000003'].map((n) => `audit-${year}-${n}.${format}`))
    expect((await readdir(directory)).toSorted()).toEqual([...names, 'manifest.json'])
    for (const file of manifest.files) {
      const content = await readFile(join(directory, file.name))
      expect(file).toMatchObject({ sizeBytes: content.length, sha256: sha256(content) })
    }
    expect(await checkExport(directory)).toEqual(manifest)
  })

  test('an interrupted export continues after its last finished file', async () => {
    const [directory, whole] = [await folder(), await folder()]
    await expect(
      run({
        ...{ directory, format },
        onFile: ({ name }) => {
          if (name.includes('000002')) throw new Error('killed')
        },
      }),
    ).rejects.toThrow('killed')
    // The process ended after the file, and before the manifest.
    await expect(checkExport(directory)).rejects.toMatchObject({ code: 'audit.export_incomplete' })
    await writeFile(join(directory, `audit-${year}-000003.${format}.1f-2e.part`), 'rest of another run')
    const written: string[] = []
    const manifest = await run({ directory, format, onFile: ({ name }) => void written.push(name) })
    expect(written.map((name) => name.slice(11, 17))).toEqual(['000002', '000003'])
    expect(manifest).toEqual(await run({ directory: whole, format }))
    // A complete export stays as it is.
    expect(await run({ directory, format, onFile: () => expect.unreachable() })).toEqual(manifest)
  })

  test('only the owner can read the files and a new folder, whatever an older run left there', async () => {
    const directory = join(await folder(), 'backup')
    await run({ directory, format })
    expect(await modeOf(directory)).toBe(0o700)
    for (const name of await readdir(directory)) expect(await modeOf(join(directory, name)), name).toBe(0o600)

    const used = await folder()
    const leftovers = [`audit-${year}-000001.${format}.1f-2e.part`, 'manifest.json.1f-2e.part']
    for (const name of leftovers) await writeFile(join(used, name), 'rest', { mode: 0o644 })
    await run({ directory: used, format })
    const names = await readdir(used)
    expect(names).toHaveLength(4)
    for (const name of names) expect(await modeOf(join(used, name)), name).toBe(0o600)
  })

  test('a failed run leaves no unfinished file', async () => {
    const directory = await folder()
    const failing = withinFile(() => Promise.reject(new Error('lost')))
    const exporting = exportPartition(failing, { year, directory, format, eventsPerFile: 3_000 })
    await expect(exporting).rejects.toThrow('lost')
    expect(await readdir(directory)).toEqual([])
  })

  test.each([
    ['first', [0, 1]],
    ['second', [1, 0]],
  ])(
    'two exports into one folder do not damage the files of each other (the %s one ends first)',
    async (_, order) => {
      const directory = await folder()
      const start = () => {
        const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const paused = withinFile(() => {
          reached.resolve()
          return resumed.promise
        })
        const exported = exportPartition(paused, { year, directory, format, eventsPerFile: 3_000 })
        return { reached: reached.promise, resume: resumed.resolve, exported }
      }
      const exports = [start()]
      await exports[0]?.reached
      exports.push(start())
      await exports[1]?.reached
      for (const index of order) {
        exports[index]?.resume()
        const manifest = await exports[index]?.exported
        expect(await checkExport(directory)).toEqual(manifest)
      }
      const names = (await readdir(directory)).toSorted()
      expect(names).toEqual([`audit-${year}-000001.${format}`, 'manifest.json'])
      for (const name of names) expect(await modeOf(join(directory, name)), name).toBe(0o600)
    },
  )

  test.each([true, false])(
    'a run into a folder with a lost file names it (complete: %s)',
    async (isComplete) => {
      const directory = await folder()
      const { files } = await run({ directory, format })
      const [lost, changed] = files.map(({ name }) => name)
      const manifest = join(directory, 'manifest.json')
      if (!isComplete) {
        const found = JSON.parse(await readFile(manifest, 'utf8'))
        await writeFile(
          manifest,
          textOf({ ...found, isComplete, eventCount: 2_000, files: files.slice(0, 2) }),
        )
      }
      const before = await readFile(manifest)
      const path = join(directory, lost ?? '')
      const content = await readFile(path)
      const advice = 'Restore it from a copy, or export the year into a new folder.'
      await rm(path)
      await expect(run({ directory, format })).rejects.toMatchObject({
        code: 'audit.export_damaged',
        detail: `${lost} cannot be read. ${advice}`,
      })
      await writeFile(path, content)
      await truncate(join(directory, changed ?? ''), 100)
      await expect(run({ directory, format })).rejects.toMatchObject({
        code: 'audit.export_damaged',
        detail: `${changed} has another SHA-256. ${advice}`,
      })
      expect(await readFile(manifest)).toEqual(before)
    },
  )

  test('a changed, shortened or missing file is found', async () => {
    const directory = await folder()
    const manifest = await run({ directory, format })
    const path = join(directory, manifest.files[1]?.name ?? '')
    const content = await readFile(path)
    const changed = Buffer.from(content)
    changed[500] = (changed[500] ?? 0) ^ 1
    for (const spoil of [
      () => writeFile(path, changed),
      () => truncate(path, content.length - 1),
      () => rm(path),
    ]) {
      await spoil()
      await expect(checkExport(directory)).rejects.toMatchObject({ code: 'audit.export_damaged' })
      await writeFile(path, content)
    }
    await checkExport(directory)
  })
})

test('a folder in the place of the manifest is reported in one line with its path', async () => {
  const directory = await folder()
  const manifest = join(directory, 'manifest.json')
  await mkdir(manifest)
  for (const command of [`export --year ${year}`, 'export --check']) {
    const argv = [...command.split(' '), '--directory', directory]
    const { exitCode, err } = await runAudit(fresh.url, argv)
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: [`${manifest} cannot be used (EISDIR).`] })
  }
})

test('a file in the place of the folder is reported in one line with its path', async () => {
  const file = join(await folder(), 'file')
  await writeFile(file, '')
  const { exitCode, err } = await runAudit(fresh.url, ['export', '--year', String(year), '--directory', file])
  expect({ exitCode, err }).toEqual({ exitCode: 1, err: [`${file} cannot be used (EEXIST).`] })
})

test('a manifest with a false year, partition, bound or id is found', async () => {
  const directory = await folder()
  const manifest = await run({ directory })
  const next = await run({ directory: await folder(), year: year + 1 })
  const path = join(directory, 'manifest.json')
  const { files, eventCount } = manifest
  const [first, second, last] = files
  if (first === undefined || second === undefined || last === undefined) throw new Error('Too few files')
  const before = { ...manifest, partition: `audit_events_before_${year + 1}`, firstId: null }
  const otherId = first.firstId.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  for (const [problem, changed] of [
    ['contradicts itself', { year: year - 1 }],
    ['contradicts itself', { partition: `audit_events_${year - 1}` }],
    ['contradicts itself', { partition: 'users' }],
    ['contradicts itself', { firstId: null }],
    ['contradicts itself', { firstId: first.firstId }],
    ['contradicts itself', { endId: last.lastId }],
    ['contradicts itself', { ...before, endId: last.lastId }],
    ['contradicts itself', { eventCount: 1 }],
    ['contradicts itself', { ...next, files, eventCount }],
    ['contradicts itself', { files: [second, first, last] }],
    [
      'contradicts itself',
      { files: [{ ...first, firstId: first.lastId, lastId: first.firstId }, second, last] },
    ],
    [
      'contradicts itself',
      { files: [first, second, { ...last, lastId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }] },
    ],
    ['contains other events', { files: [{ ...first, firstId: otherId }, second, last] }],
    ['contains other events', { files: [first, { ...second, lastId: second.firstId }, last] }],
  ] as const) {
    await writeFile(path, textOf({ ...manifest, ...changed }))
    await expect(checkExport(directory), JSON.stringify(changed)).rejects.toMatchObject({
      code: 'audit.export_damaged',
      detail: expect.stringContaining(problem),
    })
  }
  // Both exports of this year are possible.
  await writeFile(path, textOf(before))
  expect(await checkExport(directory)).toEqual(before)
})

test('both formats contain the same events, with every character and digit', async () => {
  const [lines, tables] = [await folder(), await folder()]
  const [ndjson, parquet] = [
    await run({ directory: lines }),
    await run({ directory: tables, format: 'parquet' }),
  ]
  const digests = (files: readonly { eventsSha256: string }[]) =>
    files.map(({ eventsSha256 }) => eventsSha256)
  expect(digests(parquet.files)).toEqual(digests(ndjson.files))
  const last = ndjson.files.at(-1)?.name ?? ''
  const line = (await readFile(join(lines, last), 'utf8')).trimEnd().split('\n').at(-1) ?? ''
  expect(line).toContain(`"occurred_at":"${year}-06-30T23:59:59.000001Z"`)
  expect(line).toContain(`"metadata":{"n": ${awkward.number}}`)
  expect(JSON.parse(line)).toMatchObject({ correlation_id: 'request-1', changes: [awkward.text] })
  const file = await asyncBufferFromFile(join(tables, last.replace('ndjson', 'parquet')))
  const rows = await parquetReadObjects({ file })
  expect(rows.at(-1)).toMatchObject({
    id: JSON.parse(line).id,
    occurred_at: new Date(`${year}-06-30T23:59:59.000Z`),
    metadata: `{"n": ${awkward.number}}`,
  })
})

test('a year that is not over, an unknown year and the folder of another export are refused', async () => {
  const directory = await folder()
  await expect(run({ directory, year: thisYear })).rejects.toMatchObject({ code: 'audit.year_not_over' })
  await expect(run({ directory, year: year - 2 })).rejects.toMatchObject({
    code: 'audit.partition_not_found',
  })
  await expect(checkExport(directory)).rejects.toMatchObject({ code: 'audit.export_not_found' })
  await run({ directory })
  await expect(run({ directory, year: year - 1 })).rejects.toMatchObject({ code: 'audit.export_conflict' })
  await expect(run({ directory, format: 'parquet' })).rejects.toMatchObject({ code: 'audit.export_conflict' })
  await writeFile(join(directory, 'manifest.json'), '{}')
  await expect(run({ directory })).rejects.toMatchObject({ code: 'audit.export_damaged' })
})

test('the command exports, checks and reports problems', async () => {
  const directory = await folder()
  const exported = await runAudit(fresh.url, ['export', '--year', String(year), '--directory', directory])
  expect(exported).toEqual({
    exitCode: 0,
    out: [`${directory} contains 2,346 events of audit_events_${year} in 1 file.`],
    err: [`audit-${year}-000001.ndjson: 2,346 events`],
  })
  const manifest = join(directory, 'manifest.json')
  const text = await readFile(manifest)
  // The check of an archive needs no database.
  const checked = await runAudit(undefined, ['export', '--check', '--directory', directory])
  expect(checked).toEqual({
    exitCode: 0,
    out: [
      `manifest.json matches 1 file with 2,346 events of audit_events_${year}.`,
      `Its SHA-256 is ${sha256(text)}. After a drop, the audit event of the drop has the same.`,
    ],
    err: [],
  })
  await rm(join(directory, `audit-${year}-000001.ndjson`))
  expect(await runAudit(fresh.url, ['export', '--check', '--directory', directory])).toEqual({
    exitCode: 1,
    out: [],
    err: [
      `audit-${year}-000001.ndjson cannot be read. Restore it from a copy, or export the year into a new folder.`,
    ],
  })
  await writeFile(manifest, JSON.stringify(JSON.parse(text.toString())))
  expect(await runAudit(undefined, ['export', '--check', '--directory', directory])).toEqual({
    exitCode: 1,
    out: [],
    err: ['manifest.json is not a manifest of an export, or its text was changed.'],
  })
  for (const wrong of [
    'export',
    'export --year 2020',
    'export --year x --directory d',
    'export --check --year 2020 --directory d',
    'export --year 2020 --directory d --format xml',
    'drop --year 2020',
    'drop --export d',
  ]) {
    expect(await runAudit(fresh.url, wrong.split(' ')), wrong).toMatchObject({ exitCode: 2 })
  }
})

test('an export waits for a transaction that has been open since the year ended', async () => {
  const [directory, writer] = [await folder(), openConnection(fresh.url)]
  await writer.unsafe('begin')
  await writer.unsafe(`
    insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code)
    values (core_audit.first_event_id('${year}-12-31 23:59:59+00'), 'things', 'Document', 'order', '${newId()}', 'late')`)
  await expect(run({ directory, waitMs: 300 })).rejects.toMatchObject({ code: 'audit.writers_not_ended' })
  expect(await readdir(directory)).toEqual([])
  const exporting = run({ directory })
  await writer.unsafe('commit')
  expect(await exporting).toMatchObject({ isComplete: true, eventCount: 2_347 })

  // A complete export waits for nobody.
  await writer.unsafe('begin; lock table core_audit.audit_events in row exclusive mode')
  expect(await run({ directory, waitMs: 300 })).toMatchObject({ isComplete: true })
})

test('an export does not continue the export of another database', async () => {
  const other = await openDatabase()
  const elsewhere = createDatabase({ ...databaseDefaults, url: other.url })
  onTestFinished(async () => {
    await elsewhere.close()
    await other.drop()
  })
  await createYears(other.url, year - 1, thisYear)
  await fillYears(other.url, { id: newId(), first: year - 1, last: thisYear, count: 10 })
  const directory = await folder()
  await run({ directory })
  const input = { directory, year, format: 'ndjson', eventsPerFile: 1_000 } as const
  await expect(exportPartition(elsewhere, input)).rejects.toMatchObject({ code: 'audit.export_conflict' })
})
