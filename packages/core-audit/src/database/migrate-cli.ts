import {
  ConfigurationError,
  configurationExitCode,
  type Environment,
  readConfiguration,
} from '../host/environment.ts'
import { runOnTerminal, type Terminal } from '../host/run-on-terminal.ts'
import { readDirectAddress } from './config.ts'
import { connectionFailureText } from './connection-failure.ts'
import { type MigrateOptions, migrate, migrationStatus, rehearseMigrations } from './migrate.ts'
import type { MigrationPack } from './migration-files.ts'
import { type MigrationState, pendingOf } from './migration-ledger.ts'

/** The command line and the terminal of one run of {@link runMigrateCommand}. */
export interface MigrateCommandOptions {
  /** The arguments after the script's name: `process.argv.slice(2)`. */
  readonly argv: readonly string[]
  /** `process.env`. Reads `DATABASE_URL`, `DATABASE_DIRECT_URL` and `DATABASE_PASSWORD`, or their `…_FILE`. */
  readonly environment: Environment
  /** The packs to migrate, in the order that {@link MigrateOptions} requires. */
  readonly packs: readonly MigrationPack[]
  /** Writes a line to standard output; default `console.log`. */
  readonly write?: (line: string) => void
  /** Writes a line to standard error; default `console.error`. */
  readonly writeError?: (line: string) => void
}

/** The exit codes of {@link runMigrateCommand}. */
export const migrateExitCodes = { done: 0, failed: 1, usage: 2, pending: 3 } as const

const help = `Usage: migrate <command>

  plan           list the migrations that "up" would apply, in order
  status         list all migrations and when each was applied
  up             apply the pending migrations, each file in its own transaction; files with the line
                 "-- transaction: none" build or drop an index without blocking writes
  up --dry-run   run the pending migrations in one transaction and roll it back; they take real locks and
                 block writes while they build indexes, so run it against a copy

DATABASE_URL is the address of the database, or DATABASE_DIRECT_URL if it is set. The password can be in
DATABASE_PASSWORD_FILE.
Exit status: 0 done · 1 failed, and running it again is safe · 2 wrong usage ·
3 "status" found pending migrations · ${configurationExitCode} a key is missing or wrong`

type Command = (options: MigrateOptions, write: (line: string) => void) => Promise<number>

const commands: Readonly<Record<string, Command>> = {
  plan: runPlan,
  status: runStatus,
  up: runUp,
  'up --dry-run': runDryRun,
}

/**
 * Runs the migrator as a command of a host: `process.exitCode = await runMigrateCommand({ argv, environment, packs })`.
 * Resolves to one of {@link migrateExitCodes} or to `configurationExitCode`. Never rejects, but writes failures as text.
 */
export function runMigrateCommand(options: MigrateCommandOptions): Promise<number> {
  return runOnTerminal(options, migrateExitCodes.failed, (terminal) => runCommand(options, terminal))
}

async function runCommand(options: MigrateCommandOptions, { write, writeError }: Terminal): Promise<number> {
  const { packs } = options
  // `pnpm run migrate -- status` also passes the separator.
  const argv = options.argv[0] === '--' ? options.argv.slice(1) : options.argv
  if (argv.includes('--help') || argv.includes('-h')) {
    write(help)
    return migrateExitCodes.done
  }
  const name = argv.join(' ')
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    writeError(argv.length === 0 ? 'Name a command.\n' : `Unknown command "${name}".\n`)
    writeError(help)
    return migrateExitCodes.usage
  }
  try {
    return await command({ ...readConfiguration(options.environment, readDirectAddress), packs }, write)
  } catch (error) {
    if (error instanceof ConfigurationError) {
      for (const problem of error.problems) writeError(problem)
      return configurationExitCode
    }
    for (const line of describeFailure(error)) writeError(line)
    return migrateExitCodes.failed
  }
}

async function runPlan(options: MigrateOptions, write: (line: string) => void): Promise<number> {
  const pending = pendingOf(await migrationStatus(options))
  for (const migration of pending) write(nameOf(migration))
  write(pending.length === 0 ? 'Nothing to apply.' : `${count(pending)} to apply.`)
  return migrateExitCodes.done
}

async function runStatus(options: MigrateOptions, write: (line: string) => void): Promise<number> {
  const migrations = await migrationStatus(options)
  for (const migration of migrations) {
    write(`${(migration.appliedAtUtc ?? 'pending').padEnd(24)}  ${nameOf(migration)}`)
  }
  const pending = pendingOf(migrations)
  write(pending.length === 0 ? 'Everything is applied.' : `${count(pending)} pending.`)
  return pending.length === 0 ? migrateExitCodes.done : migrateExitCodes.pending
}

async function runUp(options: MigrateOptions, write: (line: string) => void): Promise<number> {
  const onApplied = (migration: MigrationState) => write(`applied  ${nameOf(migration)}`)
  const onRetry = (migration: MigrationState, attempt: number) =>
    write(`retrying ${nameOf(migration)}, attempt ${attempt}: a lock was not available`)
  const applied = await migrate({ ...options, onApplied, onRetry })
  write(applied.length === 0 ? 'Nothing to apply.' : `${count(applied)} applied.`)
  return migrateExitCodes.done
}

async function runDryRun(options: MigrateOptions, write: (line: string) => void): Promise<number> {
  const onApplied = (migration: MigrationState) => write(`would apply  ${nameOf(migration)}`)
  const rehearsed = await rehearseMigrations({ ...options, onApplied })
  write(
    rehearsed.length === 0 ? 'Nothing to apply.' : `${count(rehearsed)} would be applied; nothing was kept.`,
  )
  return migrateExitCodes.done
}

const nameOf = ({ pack, file }: MigrationState): string => `${pack}/${file}`

const count = (migrations: readonly MigrationState[]): string =>
  migrations.length === 1 ? '1 migration' : `${migrations.length} migrations`

/**
 * Returns one line for the error and one line for each of its causes, after what to change if there is no connection. The kit's
 * error names the migration, and PostgreSQL's error contains the reason. No line contains credentials.
 */
function describeFailure(error: unknown): readonly string[] {
  // A migration that has lost its connection has begun, so its own text must come first.
  const isStart = error instanceof Error && error.cause === undefined
  const connection = isStart ? connectionFailureText(error) : undefined
  return connection === undefined ? describeCauses(error) : [connection, ...describeCauses(error)]
}

function describeCauses(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return ['The command threw a value that is not an Error.']
  const code: unknown = Reflect.get(error, 'code')
  // The error of a refused connection aggregates several attempts and has no message of its own.
  const message = error.message === '' ? error.name : error.message
  const line = typeof code === 'string' && !message.includes(code) ? `${message} (${code})` : message
  return error.cause === undefined ? [line] : [line, ...describeCauses(error.cause)]
}
