import { createHash } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'drizzle-orm/sql'
import type { Database } from '../../database/database.ts'
import { AuditError } from '../errors.ts'
import { findPartition } from '../queries/find-partition.ts'
import type { AuditPartition } from '../queries/list-partitions.ts'
import { createHorizon } from '../seal/horizon.ts'
import { type EventFileFormat, type EventFileWriter, eventFileFormat, measureFile } from './event-file.ts'
import { type ExportedEvent, lineOf, readEvents } from './exported-event.ts'
import { type ExportedFile, type ExportManifest, readManifest, syncPath, writeManifest } from './manifest.ts'

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
 * Exports a partition into numbered files and a manifest. An interrupted export continues after its last finished file; a
 * complete one is returned unchanged. Memory does not grow with the number of events. Only the user of the process can read
 * the files, and the folder if this function creates it.
 *
 * @throws {AuditError} audit.partition_not_found · year_not_over · writers_not_ended · export_conflict · export_damaged ·
 *   package_missing
 */
export async function exportPartition(database: Database, input: ExportInput): Promise<ExportManifest> {
  const partition = await database.read((db) => findPartition(db, input.year))
  await requireYearOver(database, partition, input.year)
  const format = await eventFileFormat(input.format)
  await mkdir(input.directory, { recursive: true, mode: 0o700 })
  let manifest = await openManifest(partition, input)
  if (!manifest.isComplete) await waitForWriters(database, input.waitMs ?? writersWaitMs)
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
  // The manifest must never name a file that a power failure can lose. `writeManifest` does the same for the folder.
  await syncPath(`${path}.part`)
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
