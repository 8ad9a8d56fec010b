import { readDirectAddress } from '../../database/config.ts'
import { type EnvironmentReader, readConfiguration } from '../../host/environment.ts'
import { parseCommandLine } from '../../host/parse-command-line.ts'
import { type AuditCommand, auditExitCodes } from '../audit-command.ts'
import { readYear } from './command-year.ts'
import { dropPartition } from './drop-partition.ts'
import { readAuditRetentionYears } from './retention-config.ts'

/** The command `drop`: drops a year whose export is verified. */
export const dropCommand: AuditCommand = {
  help: `  drop                      drop the oldest partition, after its export was compared with each of its events
    --year <year>           required; its last year, which ended at least AuditLog__RetentionYears years ago
    --export <folder>       required; the folder of its export`,
  parse(argv) {
    const options = parse(argv)
    if (typeof options === 'string') return options
    const year = readYear(options.year)
    const directory = options.export
    if (year === null) return 'drop: --year requires a year, such as 2026.'
    if (directory === undefined || directory === '') return 'drop: --export is required.'
    return async ({ environment, operator, write }) => {
      const config = readConfiguration(environment, readDropConfig)
      const manifest = await dropPartition({ ...config, year, directory, operator })
      write(`${manifest.partition} with ${manifest.eventCount} events was dropped.`)
      write(`From now on, run audit verify with --dropped-before ${year + 1}.`)
      return auditExitCodes.done
    }
  },
}

const readDropConfig = (env: EnvironmentReader) => ({
  address: readDirectAddress(env),
  retentionYears: readAuditRetentionYears(env),
})

function parse(argv: readonly string[]) {
  try {
    return parseCommandLine({
      args: [...argv],
      options: { year: { type: 'string' }, export: { type: 'string' } },
    }).values
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line cannot be read.'
  }
}
