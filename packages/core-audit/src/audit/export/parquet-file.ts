import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { AuditError } from '../errors.ts'
import type { EventFileFormat } from './event-file.ts'
import { type ExportedEvent, exportedColumns, lineOf } from './exported-event.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const types: Partial<Record<keyof ExportedEvent, Partial<SchemaElement>>> = {
  id: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
  target_id: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
  actor_user_id: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
  occurred_at: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
}
const text: Partial<SchemaElement> = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
const optional: ReadonlySet<string> = new Set(['actor_user_id', 'correlation_id', 'metadata'])

const schema: SchemaElement[] = [
  { name: 'root', num_children: exportedColumns.length },
  ...exportedColumns.map(
    (name): SchemaElement => ({
      name,
      repetition_type: optional.has(name) ? 'OPTIONAL' : 'REQUIRED',
      ...(types[name] ?? text),
    }),
  ),
]

/** The rows in memory, for writing and for reading: about 5 MB of text. */
const rowGroupSize = 10_000
/** The characters of JSON from which a group of large events ends early. */
const rowGroupChars = 8_388_608

/** Parquet files with snappy: ids as UUID, instants in microseconds, JSON as text. */
export const parquet: EventFileFormat = {
  writerTo({ fd }) {
    // `fileWriter` passes this to functions of Node.js that accept a descriptor, too. With a path, it would create the file again
    // if another export has removed it, without its beginning and readable by every user.
    const writer = new ParquetWriter({ writer: fileWriter(fd as never), schema })
    let group: ExportedEvent[] = []
    let groupChars = 0
    const writeGroup = async () => {
      const columnData = exportedColumns.map((name) => ({
        name,
        data: group.map((event) => (name === 'occurred_at' ? microsOf(event) : event[name])),
      }))
      await writer.write({ columnData, rowGroupSize })
      group = []
      groupChars = 0
    }
    return {
      async write(events) {
        group.push(...events)
        for (const { metadata, changes } of events) groupChars += (metadata?.length ?? 0) + changes.length
        if (group.length >= rowGroupSize || groupChars >= rowGroupChars) await writeGroup()
      },
      async end() {
        if (group.length > 0) await writeGroup()
        await writer.finish()
      },
    }
  },
  async *lines(path) {
    const file = await asyncBufferFromFile(path)
    const metadata = await parquetMetadataAsync(file)
    const parsers = { timestampFromMicroseconds: fromMicros }
    let rowStart = 0
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows)
      const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, parsers })
      for (const row of rows) yield lineOf(row as unknown as ExportedEvent)
      rowStart = rowEnd
    }
  },
}

function microsOf({ id, occurred_at: instant }: ExportedEvent): bigint {
  const milliseconds = Date.parse(`${instant.slice(0, -8)}Z`)
  if (!Number.isNaN(milliseconds)) return BigInt(milliseconds) * 1_000n + BigInt(instant.slice(-7, -1))
  // Infinity, or later than a `Date` can be (275760); the numbers of Parquet end in 294247.
  throw new AuditError('audit.time_not_in_parquet', {
    detail: `Parquet has no form for the time of the event ${id} (${instant}): export the year as NDJSON into a new folder.`,
  })
}

function fromMicros(micros: bigint): string {
  // Rounds down, also before 1970.
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = new Date(Number((micros - fraction) / 1_000n)).toISOString().slice(0, -5)
  return `${seconds}.${String(fraction).padStart(6, '0')}Z`
}
