import { join } from 'node:path'
import type { Db } from '../../database/database.ts'
import type { SQL } from '../../database/sql.ts'
import { AuditError } from '../errors.ts'
import { digestLines, type EventsDigest, eventFileFormat, measureFile } from './event-file.ts'
import { lineOf, readEvents } from './exported-event.ts'
import { type ExportedFile, type ExportManifest, requireManifest } from './manifest.ts'

/**
 * Reads every file of an export again, and compares it with the manifest: size, hash of the file, number and hash of its
 * events. Returns the manifest.
 *
 * @throws {AuditError} audit.export_not_found · export_incomplete · export_damaged · package_missing
 */
export async function checkExport(directory: string): Promise<ExportManifest> {
  const manifest = await requireManifest(directory)
  if (!manifest.isComplete) {
    throw new AuditError('audit.export_incomplete', {
      detail: `The export in ${directory} is not complete: run "audit export" again.`,
    })
  }
  const format = await eventFileFormat(manifest.format)
  let eventCount = 0
  for (const file of manifest.files) {
    await requireFile(directory, file)
    const digest = await digestLines(format.lines(join(directory, file.name))).catch(
      damaged(file, 'cannot be read'),
    )
    if (!isSame(digest, file)) return damaged(file, 'contains other events')()
    eventCount += digest.eventCount
  }
  if (eventCount === manifest.eventCount && areAscending(manifest.files)) return manifest
  throw new AuditError('audit.export_damaged', { detail: 'The manifest contradicts itself.' })
}

/**
 * Compares a file with the manifest, without its events.
 * @throws {AuditError} audit.export_damaged
 */
export async function requireFile(directory: string, file: ExportedFile): Promise<void> {
  const { sizeBytes, sha256 } = await measureFile(join(directory, file.name)).catch(
    damaged(file, 'cannot be read'),
  )
  if (sizeBytes !== file.sizeBytes || sha256 !== file.sha256) damaged(file, 'has another SHA-256')()
}

const areAscending = (files: readonly ExportedFile[]): boolean =>
  files.every(({ firstId, lastId }, index) => firstId <= lastId && (files[index - 1]?.lastId ?? '') < firstId)

const isSame = (digest: EventsDigest, file: ExportedFile): boolean =>
  digest.eventCount === file.eventCount && digest.eventsSha256 === file.eventsSha256

const damaged =
  ({ name }: ExportedFile, problem: string) =>
  (cause?: unknown): never => {
    throw new AuditError('audit.export_damaged', {
      detail: `${name} ${problem}. Restore it from a copy, or export the year into a new folder.`,
      cause,
    })
  }

/**
 * Compares the events of a partition with the manifest: each event is in its file, and the partition has no other event.
 * @throws {AuditError} audit.export_differs with the name of the first file that differs
 */
export async function compareExport(
  read: <T>(work: (db: Db) => Promise<T>) => Promise<T>,
  table: SQL,
  { firstId, endId, files }: ExportManifest,
): Promise<void> {
  let afterId: string | null = null
  for (const file of files) {
    const events = readEvents(read, { table, firstId, endId, afterId, throughId: file.lastId })
    if (!isSame(await digestLines(linesOf(events)), file)) {
      throw new AuditError('audit.export_differs', {
        detail: `The events of ${file.name} differ from those in the database. Run "audit verify" first, then export the year into a new folder.`,
      })
    }
    afterId = file.lastId
  }
  const rest = readEvents(read, { table, firstId, endId, afterId, throughId: null })
  if ((await rest.next()).done === true) return
  throw new AuditError('audit.export_differs', {
    detail: 'The database has events that the export lacks. Export the year into a new folder.',
  })
}

async function* linesOf(events: ReturnType<typeof readEvents>): AsyncGenerator<string> {
  for await (const event of events) yield lineOf(event)
}
