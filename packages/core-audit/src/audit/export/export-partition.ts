import { createHash } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { AuditError } from '../errors.ts'
import { findPartition } from '../queries/find-partition.ts'
import type { AuditPartition } from '../queries/list-partitions.ts'
import { createHorizon } from '../seal/horizon.ts'
import { requireFile } from './check-export.ts'
import { type EventFileFormat, type EventFileWriter, eventFileFormat, measureFile } from './event-file.ts'
import { type ExportedEvent, lineOf, readEvents } from './exported-event.ts'
import { type ExportedFile, type ExportManifest, readManifest, writeManifest } from './manifest.ts'
import { listParts, partOf } from './part-file.ts'
import { createPrivateFile } from './private-file.ts'

export interface ExportInput {
  readonly year: number
  readonly directory: string
  readonly format: ExportManifest['format']
  /** Maximum number of events in a file; an interrupted export loses at most one file. */
  readonly eventsPerFile: number
  /** Maximum wait for transactions that could still add events to the year; one minute when absent. */
  readonly waitMs?: number
  /** Called after each finished file. */
  readonly onFile?: (file: ExportedFile) => void
}

/**
 * Exports a partition into numbered files and a manifest. An interrupted export continues after its last finished file. A
 * complete one is returned unchanged, also if another run completes it during this one. A finished file that is missing or was
 * changed is refused. Memory does not grow with the number of events. Only the user of the process can read the files, and the
 * folder if this function creates it. Rejects if the partition is dropped during the export.
 *
 * @throws {AuditError} audit.partition_not_found · year_not_over · writers_not_ended · export_conflict · export_damaged ·
 *   time_not_in_parquet · package_missing
 */
export async function exportPartition(database: Database, input: ExportInput): Promise<ExportManifest> {
  const partition = await database.read((db) => findPartition(db, input.year))
  await requireYearOver(database, partition, input.year)
  const format = await eventFileFormat(input.format)
  await mkdir(input.directory, { recursive: true, mode: 0o700 })
  // Only those of earlier runs: another export that starts now writes to its own.
  const leftovers = await listParts(input.directory)
  const manifest = await openManifest(database, partition, input)
  for (const file of manifest.files) await requireFile(input.directory, file)
  if (manifest.isComplete) return manifest
  await waitForWriters(database, input.waitMs ?? writersWaitMs)
  try {
    return await writeFiles(database, format, { manifest, leftovers, input })
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error
    // A run that completes the export removes the unfinished files of all runs that have started before.
    const current = await openManifest(database, partition, input)
    if (current.isComplete) return current
    throw error
  }
}

interface Export {
  readonly manifest: ExportManifest
  /** The paths of unfinished files of earlier runs. */
  readonly leftovers: readonly string[]
  readonly input: ExportInput
}

/** Writes the remaining files, and the manifest after each of them. */
async function writeFiles(
  database: Database,
  format: EventFileFormat,
  { manifest: opened, leftovers, input }: Export,
): Promise<ExportManifest> {
  let manifest = opened
  while (!manifest.isComplete) {
    const file = await writeFile(database, format, { manifest, input })
    if (file === null) {
      await requirePartition(database, manifest)
      for (const path of leftovers) await rm(path, { force: true })
    } else {
      input.onFile?.(file)
    }
    // Another run has completed the export during this one. Its manifest can be the only proof of a dropped partition.
    const current = await readManifest(input.directory)
    if (current?.isComplete === true) return current
    manifest = {
      ...manifest,
      isComplete: file === null,
      eventCount: manifest.eventCount + (file?.eventCount ?? 0),
      files: file === null ? manifest.files : [...manifest.files, file],
    }
    await writeManifest(input.directory, manifest)
  }
  return manifest
}

async function requireYearOver(database: Database, { endId }: AuditPartition, year: number): Promise<void> {
  const over = await database.read((db) =>
    db.execute(sql`select where core_audit.first_event_id(now()) >= ${endId}::uuid`),
  )
  if (over.length > 0) return
  throw new AuditError('audit.year_not_over', {
    detail: `The year ${year} is not over: its partition can still receive events.`,
  })
}

const writersWaitMs = 60_000
/** The pause between two looks at the writers. */
const lookMs = 100

/** Resolves when every transaction that has stored an event so far has ended: one could still be open since the year ended. */
async function waitForWriters(database: Database, waitMs: number): Promise<void> {
  const horizon = createHorizon()
  const untilMs = performance.now() + waitMs
  while ((await database.transaction((tx) => horizon.advance(tx))) === null) {
    if (performance.now() > untilMs) throw new AuditError('audit.writers_not_ended')
    await delay(lookMs)
  }
}

async function openManifest(
  database: Database,
  { name, firstId, endId }: AuditPartition,
  { year, directory, format }: ExportInput,
): Promise<ExportManifest> {
  const found = await readManifest(directory)
  if (found === undefined) {
    const base = { version: 1, year, partition: name, firstId, endId, format } as const
    return { ...base, isComplete: false, eventCount: 0, files: [] }
  }
  if (found.partition === name && found.endId === endId && found.format === format) {
    await requireOwnFiles(database, found, directory)
    return found
  }
  throw new AuditError('audit.export_conflict', {
    detail: `${directory} contains the export of ${found.year} as ${found.format}. Use another folder.`,
  })
}

/** Rejects if the files are from another database: partitions of several databases have the same names and bounds. */
async function requireOwnFiles(
  database: Database,
  { files }: ExportManifest,
  directory: string,
): Promise<void> {
  const last = files.at(-1)
  if (last === undefined) return
  const found = await database.read((db) =>
    db.execute(sql`select from core_audit.audit_events where id = ${last.lastId}::uuid`),
  )
  if (found.length > 0) return
  throw new AuditError('audit.export_conflict', {
    detail: `${directory} contains the export of another database. Use another folder.`,
  })
}

/** Rejects if the partition is not the same any more: reads of a dropped partition find no event, like those after its end. */
async function requirePartition(database: Database, manifest: ExportManifest): Promise<void> {
  const { name, firstId } = await database.read((db) => findPartition(db, manifest.year))
  if (name === manifest.partition && firstId === manifest.firstId) return
  throw new AuditError('audit.partition_not_found', {
    detail: `The bounds of ${manifest.partition} have changed: export it into a new folder.`,
  })
}

/** Writes the next file. Returns null if no event follows. */
async function writeFile(
  database: Database,
  format: EventFileFormat,
  { manifest, input }: { readonly manifest: ExportManifest; readonly input: ExportInput },
): Promise<ExportedFile | null> {
  const { firstId, endId, files } = manifest
  const table = sql`core_audit.audit_events`
  const afterId = files.at(-1)?.lastId ?? null
  const events = readEvents(database.read, { table, firstId, endId, afterId, throughId: null })
  const number = String(files.length + 1).padStart(6, '0')
  const name = `audit-${manifest.year}-${number}.${manifest.format}`
  const path = join(input.directory, name)
  const part = partOf(path)
  const file = await createPrivateFile(part)
  try {
    const written = await writeEvents(events, format.writerTo(file), input.eventsPerFile)
    if (written === null) return null
    // A dropped partition has no further events, so only the last file of a partition can be shorter.
    if (written.eventCount < input.eventsPerFile) await requirePartition(database, manifest)
    const measured = await measureFile(part)
    // The manifest must never name a file that a power failure can lose. `writeManifest` does the same for the folder.
    await file.sync()
    await rename(part, path)
    return { name, ...measured, ...written }
  } finally {
    await file.close()
    await rm(part, { force: true })
  }
}

/** About 1,000 events. Large events are written in smaller parts, because each part is in memory several times. */
const writtenChars = 524_288

/** Writes the first `limit` events. Returns null if there are none. */
async function writeEvents(
  events: AsyncIterable<ExportedEvent>,
  writer: EventFileWriter,
  limit: number,
): Promise<Omit<ExportedFile, 'name' | 'sizeBytes' | 'sha256'> | null> {
  const hash = createHash('sha256')
  let eventCount = 0
  let [firstId, lastId] = ['', '']
  let batch: ExportedEvent[] = []
  let batchChars = 0
  for await (const event of events) {
    if (eventCount === 0) firstId = event.id
    lastId = event.id
    eventCount += 1
    const line = lineOf(event)
    hash.update(line).update('\n')
    batch.push(event)
    batchChars += line.length
    if (batchChars >= writtenChars) {
      await writer.write(batch)
      batch = []
      batchChars = 0
    }
    if (eventCount === limit) break
  }
  await writer.write(batch)
  await writer.end()
  return eventCount === 0 ? null : { eventCount, firstId, lastId, eventsSha256: hash.digest('hex') }
}
