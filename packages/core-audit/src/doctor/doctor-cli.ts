import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { HostDatabaseConfig } from '../database/config.ts'
import { createDatabase, type Database } from '../database/database.ts'
import { ConfigurationError, configurationExitCode } from '../host/environment.ts'
import { runOnTerminal, type Terminal } from '../host/run-on-terminal.ts'
import type { KitModule } from '../module.ts'
import type { DoctorCheck } from './check.ts'
import { databaseChecks } from './database-checks.ts'
import { migratorCheck } from './database-role.ts'
import { type DoctorOptions, doctorHelp, parseDoctorOptions } from './doctor-options.ts'
import { type NamedFinding, runChecks } from './run-checks.ts'

/** The parts of a host that the doctor checks. */
export interface DoctorSubject {
  readonly config: HostDatabaseConfig
  /** The pool of the host, which the command closes. */
  readonly database: Database
  readonly modules: readonly KitModule[]
  /** The origins of pages that upload files. The option `--origin` adds others. */
  readonly origins?: readonly string[]
}

/** The command line and the terminal of one run of {@link runDoctorCommand}. */
export interface DoctorCommandOptions {
  /** The arguments after the script's name: `process.argv.slice(2)`. */
  readonly argv: readonly string[]
  /** Reads the configuration and composes the host, without starting it. */
  open(): DoctorSubject | Promise<DoctorSubject>
  /** Writes a line to standard output; default `console.log`. */
  readonly write?: (line: string) => void
  /** Writes a line to standard error; default `console.error`. */
  readonly writeError?: (line: string) => void
  /** Reads the token for `--token-file -`; default: standard input. */
  readonly readInput?: () => Promise<string>
  /** The clock of this machine; default `Date.now`. */
  readonly now?: () => number
}

/** The exit codes of {@link runDoctorCommand}. Warnings count as done. */
export const doctorExitCodes = { done: 0, failed: 1, usage: 2 } as const

/** The limit of each check. Those that call the object store make a few calls one after the other. */
const limitMs = 15_000

/**
 * Runs the checks of a deployment as a command of a host:
 * `process.exitCode = await runDoctorCommand({ argv, open: () => ({ config, ...composeHost(config) }) })`.
 * Resolves to one of {@link doctorExitCodes} or to `configurationExitCode`, and prints one line for each check. The checks
 * write up to three small objects to the store, the same in each run, and nothing to the database. Prints no secret and no token.
 */
export function runDoctorCommand(options: DoctorCommandOptions): Promise<number> {
  return runOnTerminal(options, doctorExitCodes.failed, (terminal) => runCommand(options, terminal))
}

async function runCommand(options: DoctorCommandOptions, { write, writeError }: Terminal): Promise<number> {
  const parsed = parseDoctorOptions(options.argv)
  if (parsed === 'help') {
    write(doctorHelp)
    return doctorExitCodes.done
  }
  if (typeof parsed === 'string') {
    writeError(`${parsed}\n`)
    writeError(doctorHelp)
    return doctorExitCodes.usage
  }
  try {
    const token = await readToken(parsed.tokenFile, options.readInput)
    if (token === null) {
      writeError('--token-file: the file cannot be read')
      return doctorExitCodes.usage
    }
    const findings = await examine({ ...options, token }, parsed)
    for (const line of parsed.isJson ? [toJson(findings)] : toLines(findings)) write(line)
    return isFailed(findings) ? doctorExitCodes.failed : doctorExitCodes.done
  } catch (error) {
    if (error instanceof ConfigurationError) {
      for (const problem of error.problems) writeError(problem)
      return configurationExitCode
    }
    writeError(error instanceof Error ? error.message : 'The command failed.')
    return doctorExitCodes.failed
  }
}

async function examine(
  { open, now = Date.now, token }: DoctorCommandOptions & { readonly token: string | undefined },
  options: DoctorOptions,
): Promise<readonly NamedFinding[]> {
  const subject = await open()
  const { directUrl: url } = subject.config
  const direct = createDatabase({ ...subject.config, url, pooler: 'none', poolMax: 1 })
  try {
    return await runChecks(await checksOf(subject, options, direct), {
      ...{ limitMs, token, now, replicaCount: options.replicaCount },
      origins: [...new Set([...(subject.origins ?? []), ...options.origins])],
    })
  } finally {
    await Promise.all([subject.database.close(), direct.close()])
  }
}

async function checksOf(
  { config, database, modules }: DoctorSubject,
  { isMigrator }: DoctorOptions,
  direct: Database,
): Promise<readonly DoctorCheck[]> {
  const contributed = await Promise.all(modules.map(async (module) => (await module.doctor?.()) ?? []))
  const ofDatabase = databaseChecks({ database, modules, config })
  if (!isMigrator) return [...ofDatabase, ...contributed.flat()]
  const others = ofDatabase.filter(({ name }) => name !== 'database.role')
  return [...others, migratorCheck(direct, modules), ...contributed.flat()]
}

/** Returns undefined without a file, and null if the file cannot be read. */
async function readToken(
  file: string | undefined,
  readInput: () => Promise<string> = () => text(process.stdin),
): Promise<string | undefined | null> {
  if (file === undefined) return undefined
  try {
    return (file === '-' ? await readInput() : await readFile(file, 'utf8')).trim()
  } catch {
    return null
  }
}

const isFailed = (findings: readonly NamedFinding[]): boolean =>
  findings.some(({ status }) => status === 'failed')

function countsOf(findings: readonly NamedFinding[]) {
  const counts = { ok: 0, warning: 0, failed: 0, skipped: 0 }
  for (const { status } of findings) counts[status] += 1
  return counts
}

const toJson = (findings: readonly NamedFinding[]): string =>
  JSON.stringify({ isHealthy: !isFailed(findings), counts: countsOf(findings), findings }, null, 2)

function toLines(findings: readonly NamedFinding[]): readonly string[] {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.map(({ status, name, message, change }) =>
    `${status.padEnd(8)} ${name.padEnd(width)}  ${message} ${change === undefined ? '' : `→ ${change}`}`.trimEnd(),
  )
  const counts = Object.entries(countsOf(findings)).map(([status, count]) => `${count} ${status}`)
  return [...lines, counts.join(', ')]
}
