import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm/sql'
import type { Database } from '../../database/database.ts'
import { AuditError } from '../errors.ts'
import { findPartition } from '../queries/find-partition.ts'
import type { AuditPartition } from '../queries/list-partitions.ts'
import { type EventFileFormat, type EventFileWriter, eventFileFormat, measureFile } from './event-file.ts'
import { type ExportedEvent, lineOf, readEvents } from './exported-event.ts'
import { type ExportedFile, type ExportManifest, readManifest, writeManifest } from './manifest.ts'

export interface ExportInput {
  readonly year: number
  readonly directory: string
  readonly format: ExportManifest['format']
  /** Maximum number of events in a file; an interrupted export loses at most one file. */
  readonly eventsPerFile: number
  /** Called after each finished file. */
  readonly onFile?: (file: ExportedFile) => void
}

/**
 * Exports a partition into numbered files and a manifest. An interrupted export continues after its last finished file; a
 * complete one is returned unchanged. Memory does not grow with the number of events.
 *
 * @throws {AuditError} audit.partition_not_found · year_not_over · export_conflict · export_damaged · package_missing
 */
export async function exportPartition(database: Database, input: ExportInput): Promise<ExportManifest> {
  const partition = await database.read((db) => findPartition(db, input.year))
  await requireYearOver(database, partition, input.year)
  const format = await eventFileFormat(input.format)
  await mkdir(input.directory, { recursive: true })
  let manifest = await openManifest(partition, input)
  while (!manifest.isComplete) {
    const file = await writeFile(database, format, { manifest, input })
    if (file !== null) input.onFile?.(file)
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

async function openManifest(
  { name, firstId, endId }: AuditPartition,
  { year, directory, format }: ExportInput,
): Promise<ExportManifest> {
  const found = await readManifest(directory)
  if (found === undefined) {
    const base = { version: 1, year, partition: name, firstId, endId, format } as const
    return { ...base, isComplete: false, eventCount: 0, files: [] }
  }
  if (found.partition === name && found.endId === endId && found.format === format) return found
  throw new AuditError('audit.export_conflict', {
    detail: `${directory} contains the export of ${found.year} as ${found.format}. Use another folder.`,
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
  const written = await writeEvents(events, await format.create(`${path}.part`), input.eventsPerFile)
  if (written === null) {
    await rm(`${path}.part`)
    return null
  }
  const measured = await measureFile(`${path}.part`)
  await syncFile(`${path}.part`)
  await rename(`${path}.part`, path)
  return { name, ...measured, ...written }
}

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
  for await (const event of events) {
    if (eventCount === 0) firstId = event.id
    lastId = event.id
    eventCount += 1
    hash.update(lineOf(event)).update('\n')
    batch.push(event)
    if (batch.length === 1_000) {
      await writer.write(batch)
      batch = []
    }
    if (eventCount === limit) break
  }
  await writer.write(batch)
  await writer.end()
  return eventCount === 0 ? null : { eventCount, firstId, lastId, eventsSha256: hash.digest('hex') }
}

/** Returns after the file is on the disk, so that the manifest never names a file that a power failure can lose. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync()
  await file.close()
}
