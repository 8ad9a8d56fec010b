import { join } from 'node:path'
import type { Db } from '../../database/database.ts'
import type { SQL } from '../../database/sql.ts'
import { AuditError } from '../errors.ts'
import { digestLines, type EventsDigest, eventFileFormat, measureFile } from './event-file.ts'
import { lineOf, readEvents } from './exported-event.ts'
import { type ExportedFile, type ExportManifest, hasOwnBounds, requireManifest } from './manifest.ts'

/**
 * Reads every file of an export again, and compares it with the manifest: size, hash of the file, number, ids and hash of
 * its events. The parts of the manifest must also belong together. Returns the manifest.
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
  const eventCount = manifest.files.reduce((sum, file) => sum + file.eventCount, 0)
  if (eventCount !== manifest.eventCount || !hasOwnBounds(manifest) || !hasIdsInOrder(manifest)) {
    damaged({ name: 'manifest.json' }, 'contradicts itself')()
  }
  const format = await eventFileFormat(manifest.format)
  for (const file of manifest.files) {
    await requireFile(directory, file)
    const digest = await digestLines(format.lines(join(directory, file.name))).catch(
      damaged(file, 'cannot be read'),
    )
    if (!isSame(digest, file)) return damaged(file, 'contains other events')()
  }
  return manifest
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

/** Returns whether the ids of the files ascend between the bounds. */
const hasIdsInOrder = ({ firstId, endId, files }: ExportManifest): boolean =>
  files.every(
    (file, index) =>
      (files[index - 1]?.lastId ?? '') < file.firstId &&
      file.firstId >= (firstId ?? '') &&
      file.firstId <= file.lastId &&
      file.lastId < endId,
  )

const isSame = (digest: EventsDigest, file: ExportedFile): boolean =>
  digest.eventCount === file.eventCount &&
  digest.firstId === file.firstId &&
  digest.lastId === file.lastId &&
  digest.eventsSha256 === file.eventsSha256

const damaged =
  ({ name }: Pick<ExportedFile, 'name'>, problem: string) =>
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
