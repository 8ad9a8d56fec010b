import { createDatabase, type Database, readDatabaseConfig } from '@vertical-kit/core-audit/database'
import {
  ConfigurationError,
  configurationExitCode,
  describeCommandFailure,
  type Environment,
  readConfiguration,
} from '@vertical-kit/core-audit/host'
import { WorkCenterError } from '../errors.ts'
import { retryMails } from './commands/retry-mails.ts'
import { listDeadMails } from './queries/list-dead-mails.ts'

export interface MailCommandOptions {
  /** The arguments after the script's name: `process.argv.slice(2)`. */
  readonly argv: readonly string[]
  /** `process.env`. Reads the keys of the database. */
  readonly environment: Environment
  /** Receives each line for standard output; `console.log` when absent. */
  readonly write?: (line: string) => void
  /** Receives each line for standard error; `console.error` when absent. */
  readonly writeError?: (line: string) => void
}

/** The exit statuses of {@link runMailCommand}. */
export const mailExitCodes = { done: 0, failed: 1, usage: 2 } as const

const help = `Usage: mail <command>

  list                      list the newest dead letters, without addresses and content
  retry <mail id>           send a dead letter again, with all attempts available
  retry --all               send all of them again

Uses the database of DATABASE_URL, or DATABASE_DIRECT_URL if it is set. A mail is checked again before it is sent: it is skipped
if its recipient has dealt with the items by then.
Exit status: 0 done · 1 failed, nothing changed · 2 wrong usage · ${configurationExitCode} a key is missing or invalid`

/**
 * Runs the command line of the mails for operators, as a command of a host:
 * `process.exitCode = await runMailCommand({ argv, environment })`.
 * Never rejects: it prints the problem and returns an exit status of {@link mailExitCodes}.
 */
export async function runMailCommand(options: MailCommandOptions): Promise<number> {
  const { argv, write = console.log, writeError = console.error } = options
  if (argv.includes('--help') || argv.includes('-h')) {
    write(help)
    return mailExitCodes.done
  }
  const [name, which, ...rest] = argv
  const isList = name === 'list' && which === undefined
  const isRetry = name === 'retry' && which !== undefined && rest.length === 0
  if (!isList && !isRetry) {
    writeError(help)
    return mailExitCodes.usage
  }
  try {
    const config = readConfiguration(options.environment, readDatabaseConfig)
    const database = createDatabase({
      ...{ ...config, url: config.directUrl, poolMax: 1, applicationName: 'vertical-kit-mail' },
    })
    try {
      for (const line of isList ? await list(database) : await retry(database, which ?? '')) write(line)
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

async function list(database: Database): Promise<readonly string[]> {
  const mails = await database.read(listDeadMails)
  if (mails.length === 0) return ['There are no dead letters.']
  return mails.map(({ id, userId, itemCount, deadSinceUtc, failure }) =>
    [id, `for user ${userId}`, `${itemCount} item(s)`, `since ${deadSinceUtc}`, JSON.stringify(failure)].join(
      '  ',
    ),
  )
}

async function retry(database: Database, which: string): Promise<readonly string[]> {
  const count = await database.statement((tx) => retryMails(tx, { id: which === '--all' ? null : which }))
  if (count === 0) throw new WorkCenterError('work_center.mail_not_found')
  return [`${count} mail(s) will be sent again.`]
}
