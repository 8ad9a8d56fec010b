import { createCommandDatabase, type Database, readDirectAddress } from '@vertical-kit/core-audit/database'
import {
  ConfigurationError,
  configurationExitCode,
  describeCommandFailure,
  type Environment,
  readConfiguration,
  runOnTerminal,
  type Terminal,
} from '@vertical-kit/core-audit/host'
import { summarizeFailure } from '@vertical-kit/core-audit/outbox'
import { WorkCenterError } from '../errors.ts'
import { discardMails } from './commands/discard-mails.ts'
import { retryMails } from './commands/retry-mails.ts'
import { listLimit, type MailCommand, mailHelp, parseMailCommand } from './mail-command-line.ts'
import { listDeadMails } from './queries/list-dead-mails.ts'

/** The command line and the terminal of one run of {@link runMailCommand}. */
export interface MailCommandOptions {
  /** The arguments after the script's name: `process.argv.slice(2)`. */
  readonly argv: readonly string[]
  /** `process.env`. Reads `DATABASE_URL`, `DATABASE_DIRECT_URL` and `DATABASE_PASSWORD`, or their `…_FILE`. */
  readonly environment: Environment
  /** The operator's name for the audit log: the name of the account on this machine. */
  readonly operator: string
  /** Receives each line for standard output; `console.log` when absent. */
  readonly write?: (line: string) => void
  /** Receives each line for standard error; `console.error` when absent. */
  readonly writeError?: (line: string) => void
}

/** The exit statuses of {@link runMailCommand}. */
export const mailExitCodes = { done: 0, failed: 1, usage: 2 } as const

/**
 * Runs the command line of the mails for operators, as a command of a host:
 * `process.exitCode = await runMailCommand({ argv, environment, operator })`.
 * Never rejects: it prints the problem and returns an exit status of {@link mailExitCodes}.
 */
export function runMailCommand(options: MailCommandOptions): Promise<number> {
  return runOnTerminal(options, mailExitCodes.failed, (terminal) => runCommand(options, terminal))
}

async function runCommand(options: MailCommandOptions, { write, writeError }: Terminal): Promise<number> {
  const { argv, operator } = options
  if (argv.includes('--help') || argv.includes('-h')) {
    write(mailHelp)
    return mailExitCodes.done
  }
  const command = parseMailCommand(argv)
  if (typeof command === 'string') {
    for (const line of [`${command}\n`, mailHelp]) writeError(line)
    return mailExitCodes.usage
  }
  try {
    const address = readConfiguration(options.environment, readDirectAddress)
    const database = createCommandDatabase(address, { applicationName: 'vertical-kit-mail' })
    try {
      for (const line of await run(database, command, operator)) write(line)
    } finally {
      await database.close()
    }
    return mailExitCodes.done
  } catch (error) {
    const isInvalid = error instanceof ConfigurationError
    for (const line of isInvalid ? error.problems : describeCommandFailure(error)) writeError(line)
    return isInvalid ? configurationExitCode : mailExitCodes.failed
  }
}

async function run(database: Database, command: MailCommand, operator: string): Promise<readonly string[]> {
  if (command.name === 'list') return list(database, command.isWhole ? null : listLimit)
  const { name, id } = command
  const count = await database.transaction((tx) =>
    name === 'retry' ? retryMails(tx, { id, operator }) : discardMails(tx, { ...command, operator }),
  )
  if (count > 0) return [`${count} mail(s) ${name === 'retry' ? 'will be sent again' : 'are discarded'}.`]
  if (id === null) return [noDeadLetters]
  throw new WorkCenterError('work_center.mail_not_found')
}

const noDeadLetters = 'There are no dead letters.'

async function list(database: Database, limit: number | null): Promise<readonly string[]> {
  const { letters, deadCount } = await database.read((db) => listDeadMails(db, limit))
  if (deadCount === 0) return [noDeadLetters]
  return [
    ...letters.map(({ id, userId, itemCount, deadSinceUtc, failure }) =>
      [
        ...[id, `for user ${userId}`, `${itemCount} item(s)`, `since ${deadSinceUtc}`],
        failure === null ? 'no attempt ended' : summarizeFailure(failure),
      ].join('  '),
    ),
    ...(letters.length < deadCount
      ? [`… the newest ${letters.length} of ${deadCount} dead letters; list --all shows all of them.`]
      : []),
  ]
}
