import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { AuditError } from '../errors.ts'
import type { ExportedEvent } from './exported-event.ts'
import { lineOf } from './exported-event.ts'
import type { ExportedFile, ExportManifest } from './manifest.ts'

/** Writes the events of one file of an export. */
export interface EventFileWriter {
  write(events: readonly ExportedEvent[]): Promise<void>
  /** Writes the rest. The file is complete, but not necessarily on the disk. */
  end(): Promise<void>
}

/** Writes and reads the files of one format. */
export interface EventFileFormat {
  /** Returns a writer for an empty file. The caller closes the file. */
  writerTo(file: FileHandle): EventFileWriter
  /** Returns the lines of the events, as `lineOf` writes them. Rejects for a damaged file. */
  lines(path: string): AsyncIterable<string>
}

/**
 * Returns the format.
 * @throws {AuditError} audit.package_missing if its packages are not installed
 */
export async function eventFileFormat(format: ExportManifest['format']): Promise<EventFileFormat> {
  if (format === 'ndjson') return ndjson
  try {
    // Loaded lazily: the packages are optional.
    return (await import('./parquet-file.ts')).parquet
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new AuditError('audit.package_missing', {
      detail: 'The format parquet needs the packages hyparquet and hyparquet-writer.',
      cause: error,
    })
  }
}

const ndjson: EventFileFormat = {
  writerTo: (file) => ({
    write: (events) => file.writeFile(events.map((event) => `${lineOf(event)}\n`).join('')),
    end: async () => {},
  }),
  async *lines(path) {
    let rest = ''
    // Only a line feed ends a line: `readline` also splits at U+2028, which JSON can contain.
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
      // Splits each chunk once. To split a long line again with each of its chunks would take the square of its length.
      const [end = '', ...others] = (chunk as string).split('\n')
      rest += end
      for (const line of others) {
        yield rest
        rest = line
      }
    }
    if (rest !== '') yield rest
  },
}

/** Returns the size and the SHA-256 of a file. */
export async function measureFile(
  path: string,
): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer)
    sizeBytes += (chunk as Buffer).length
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** The identity of a sequence of events. */
export type EventsDigest = Pick<ExportedFile, 'eventCount' | 'firstId' | 'lastId' | 'eventsSha256'>

/** Returns the number, the first and the last id, and the hash of events from their lines. */
export async function digestLines(lines: AsyncIterable<string>): Promise<EventsDigest> {
  const hash = createHash('sha256')
  let eventCount = 0
  let [firstId, lastId] = ['', '']
  for await (const line of lines) {
    hash.update(line).update('\n')
    // The id is the first column: `{"id":"…"`.
    lastId = line.slice(7, 43)
    if (eventCount === 0) firstId = lastId
    eventCount += 1
  }
  return { eventCount, firstId, lastId, eventsSha256: hash.digest('hex') }
}
