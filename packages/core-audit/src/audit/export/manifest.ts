import { createHash } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { AuditError } from '../errors.ts'
import { idAt } from '../seal/event-ids.ts'
import { partOf } from './part-file.ts'
import { createPrivateFile } from './private-file.ts'

const Uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/))
const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const ExportedFile = v.strictObject({
  // A name, not a path.
  name: v.pipe(v.string(), v.regex(/^[\w-]+\.(ndjson|parquet)$/)),
  sizeBytes: Count,
  sha256: Sha256,
  eventCount: Count,
  firstId: Uuid,
  lastId: Uuid,
  /** The hash of the events as NDJSON, each with its line break, whatever the format of the file. */
  eventsSha256: Sha256,
})
/** A finished file of an export. */
export type ExportedFile = v.InferOutput<typeof ExportedFile>

const ExportManifest = v.strictObject({
  version: v.literal(1),
  /** The last year of the partition; only the first partition also contains earlier years. */
  year: Count,
  partition: v.string(),
  firstId: v.nullable(Uuid),
  endId: Uuid,
  format: v.picklist(['ndjson', 'parquet']),
  isComplete: v.boolean(),
  eventCount: Count,
  files: v.array(ExportedFile),
})
/** The contents of an export, in `manifest.json`: files in the order of their events, each with its hash. */
export type ExportManifest = v.InferOutput<typeof ExportManifest>

const nameOfManifest = 'manifest.json'

/**
 * Reads the manifest of an export; `undefined` if the folder has none.
 * @throws {AuditError} audit.export_damaged if the manifest cannot be used
 */
export async function readManifest(directory: string): Promise<ExportManifest | undefined> {
  let text: string
  try {
    text = await readFile(join(directory, nameOfManifest), 'utf8')
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code')
    if (code === 'ENOENT') return undefined
    // Node names no path if the manifest is a folder.
    const detail = `${join(directory, nameOfManifest)} cannot be used (${code}).`
    throw new AuditError('audit.export_damaged', { detail, cause: error })
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), ExportManifest), text)
  // Another text of the same content has another SHA-256 than the audit event of the drop.
  if (parsed.success && manifestText(parsed.output) === text) return parsed.output
  throw new AuditError('audit.export_damaged', {
    detail: `${nameOfManifest} is not a manifest of an export, or its text was changed.`,
  })
}

/** Like {@link readManifest}. @throws {AuditError} audit.export_not_found if the folder has no manifest */
export async function requireManifest(directory: string): Promise<ExportManifest> {
  const manifest = await readManifest(directory)
  if (manifest !== undefined) return manifest
  throw new AuditError('audit.export_not_found', { detail: `${directory} contains no ${nameOfManifest}.` })
}

/** The text of `manifest.json`. */
const manifestText = (manifest: ExportManifest): string => `${JSON.stringify(manifest, null, 2)}\n`

/** The SHA-256 of the file `manifest.json`. It identifies the export, because it covers the hash of each file. */
export const manifestSha256 = (manifest: ExportManifest): string =>
  createHash('sha256').update(manifestText(manifest)).digest('hex')

/** Returns whether the year, the name and the bounds are those of a partition. */
export function hasOwnBounds({ year, partition, firstId, endId }: ExportManifest): boolean {
  if (endId !== firstIdOf(year + 1)) return false
  return firstId === null
    ? partition === `audit_events_before_${year + 1}`
    : partition === `audit_events_${year}` && firstId === firstIdOf(year)
}

/** As `core_audit.first_event_id` of the first instant of the year. */
const firstIdOf = (year: number): string => `${idAt(Date.UTC(year, 0)).slice(0, 14)}7000-8000-000000000000`

/** Replaces the manifest in one step, and returns after it is on the disk. */
export async function writeManifest(directory: string, manifest: ExportManifest): Promise<void> {
  const path = join(directory, nameOfManifest)
  const part = partOf(path)
  try {
    const file = await createPrivateFile(part)
    try {
      await file.writeFile(manifestText(manifest))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
  await syncFolder(directory)
}

/** Returns after the names in a folder are on the disk. */
async function syncFolder(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
