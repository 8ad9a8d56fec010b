import { createCommandDatabase } from '../database/command-database.ts'
import { type DirectAddress, readDirectAddress } from '../database/config.ts'
import { describeCommandFailure } from '../host/command-failure.ts'
import {
  ConfigurationError,
  configurationExitCode,
  type Environment,
  readConfiguration,
} from '../host/environment.ts'
import { runOnTerminal, type Terminal } from '../host/run-on-terminal.ts'
import {
  type AuditCommand,
  type AuditCommandContext,
  type AuditWork,
  auditExitCodes,
  type OfflineAuditWork,
} from './audit-command.ts'
import { findDisguised } from './disguised-tables.ts'
import { dropCommand } from './export/drop-command.ts'
import { exportCommand } from './export/export-command.ts'
import { verifyCommand } from './seal/verify/verify-command.ts'

/**
 * The command line and the terminal of one run of {@link runAuditCommand}. The audit log names `operator` as the
 * author.
 */
export interface AuditCommandOptions {
  /** The arguments after the script's name: `process.argv.slice(2)`. */
  readonly argv: readonly string[]
  /** `process.env`. Reads `DATABASE_URL`, `DATABASE_DIRECT_URL` and `DATABASE_PASSWORD`, or their `…_FILE`. */
  readonly environment: Environment
  /** The name of the operator's account on this machine. */
  readonly operator: string
  /** Receives each line for standard output; `console.log` when absent. */
  readonly write?: (line: string) => void
  /** Receives each line for standard error; `console.error` when absent. */
  readonly writeError?: (line: string) => void
}

/** The commands by name, in the order of the help. */
const commands: ReadonlyMap<string, AuditCommand> = new Map([
  ['verify', verifyCommand],
  ['export', exportCommand],
  ['drop', dropCommand],
])

const help = `Usage: audit <command>

${[...commands.values()].map((command) => command.help).join('\n')}

Uses the database of DATABASE_URL, or DATABASE_DIRECT_URL if it is set; export --check needs none.
Exit status: 0 done · 1 failed · 2 wrong usage · 3 the audit log differs from its evidence ·
${configurationExitCode} a key is missing or invalid`

/**
 * Runs the command line of the audit log for operators, as a command of a host:
 * `process.exitCode = await runAuditCommand({ argv, environment, operator })`.
 * Never rejects: it prints the problem and resolves to one of {@link auditExitCodes} or to `configurationExitCode`.
 */
export function runAuditCommand(options: AuditCommandOptions): Promise<number> {
  return runOnTerminal(options, auditExitCodes.failed, (terminal) => runCommand(options, terminal))
}

async function runCommand(options: AuditCommandOptions, { write, writeError }: Terminal): Promise<number> {
  // `pnpm run audit -- verify` also passes the separator.
  const argv = options.argv[0] === '--' ? options.argv.slice(1) : options.argv
  if (argv.includes('--help') || argv.includes('-h')) {
    write(help)
    return auditExitCodes.done
  }
  const work = parse(argv)
  if (typeof work === 'string') {
    writeError(`${work}\n`)
    writeError(help)
    return auditExitCodes.usage
  }
  try {
    const context = { ...options, write, writeError }
    if ('runOffline' in work) return await work.runOffline(context)
    const address = readConfiguration(options.environment, readDirectAddress)
    return await runOn(address, work, context)
  } catch (error) {
    const problems = error instanceof ConfigurationError ? error.problems : describeCommandFailure(error)
    for (const line of problems) writeError(line)
    return error instanceof ConfigurationError ? configurationExitCode : auditExitCodes.failed
  }
}

function parse([name, ...argv]: readonly string[]): ReturnType<AuditCommand['parse']> {
  if (name === undefined) return 'A command is required.'
  return commands.get(name)?.parse(argv) ?? `Unknown command "${name}".`
}

async function runOn(
  address: DirectAddress,
  work: Exclude<AuditWork, OfflineAuditWork>,
  { environment, operator, write, writeError }: Omit<AuditCommandContext, 'database'>,
): Promise<number> {
  const database = createCommandDatabase(address, { applicationName: 'vertical-kit-audit', poolMax: 2 })
  try {
    const disguised = await database.transaction(findDisguised)
    for (const { name, reasons } of disguised) {
      writeError(
        `disguised: ${name} ${reasons}, so the events that readers see can differ from those of this command`,
      )
    }
    if (disguised.length > 0) return auditExitCodes.different
    return await work({ database, environment, operator, write, writeError })
  } finally {
    await database.close()
  }
}
