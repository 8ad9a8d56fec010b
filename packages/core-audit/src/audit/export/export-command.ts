import { parseCommandLine } from '../../host/parse-command-line.ts'
import { type AuditCommand, type AuditCommandContext, auditExitCodes } from '../audit-command.ts'
import { count } from '../count.ts'
import { checkExport } from './check-export.ts'
import { readYear } from './command-year.ts'
import { exportPartition } from './export-partition.ts'
import { manifestSha256 } from './manifest.ts'

/** About 50 MB as NDJSON. */
const eventsPerFile = 100_000

/** The command `export`: writes the events of a year into files, or checks these files. */
export const exportCommand: AuditCommand = {
  help: `  export                    write the events of a year into files; continues an interrupted export
    --year <year>           required; the first partition also contains all earlier years
    --directory <folder>    required; receives the files and manifest.json
    --format <format>       ndjson (default) or parquet
  export --check            read the files again, and compare them with manifest.json
    --directory <folder>    required`,
  parse(argv) {
    const options = parse(argv)
    if (typeof options === 'string') return options
    const { year: yearText, directory, check } = options
    if (directory === undefined || directory === '') return 'export: --directory is required.'
    if (check === true) {
      if (yearText !== undefined || options.format !== undefined)
        return 'export --check accepts only --directory.'
      return { runOffline: (context) => runCheck(context, directory) }
    }
    const year = readYear(yearText)
    if (year === null) return 'export: --year requires a year, such as 2026.'
    const format = options.format ?? 'ndjson'
    if (format !== 'ndjson' && format !== 'parquet') return 'export: --format is ndjson or parquet.'
    return async ({ database, write, writeError }) => {
      const { partition, eventCount, files } = await exportPartition(database, {
        ...{ year, directory, format, eventsPerFile },
        onFile: ({ name, eventCount }) => writeError(`${name}: ${count(eventCount, 'event')}`),
      })
      write(`${directory} contains ${contentOf(eventCount, partition)} in ${count(files.length, 'file')}.`)
      return auditExitCodes.done
    }
  },
}

async function runCheck({ write }: Pick<AuditCommandContext, 'write'>, directory: string): Promise<number> {
  const manifest = await checkExport(directory)
  const { partition, eventCount, files } = manifest
  write(`manifest.json matches ${count(files.length, 'file')} with ${contentOf(eventCount, partition)}.`)
  write(`Its SHA-256 is ${manifestSha256(manifest)}. After a drop, the audit event of the drop has the same.`)
  return auditExitCodes.done
}

const contentOf = (eventCount: number, partition: string): string =>
  `${count(eventCount, 'event')} of ${partition}`

function parse(argv: readonly string[]) {
  try {
    const { values } = parseCommandLine({
      args: [...argv],
      options: {
        ...{ year: { type: 'string' }, directory: { type: 'string' } },
        ...{ format: { type: 'string' }, check: { type: 'boolean' } },
      },
    })
    return values
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line cannot be read.'
  }
}
