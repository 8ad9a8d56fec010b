import { createCommandDatabase } from '../database/command-database.ts'
import { type DirectAddress, readDirectAddress } from '../database/config.ts'
import type { Database } from '../database/database.ts'
import { describeCommandFailure } from '../host/command-failure.ts'
import {
  ConfigurationError,
  configurationExitCode,
  type Environment,
  readConfiguration,
} from '../host/environment.ts'
import { runOnTerminal, type Terminal } from '../host/run-on-terminal.ts'
import {
  type ChangeDeadLetters,
  discardDeadLetters,
  retryDeadLetters,
} from './commands/change-dead-letters.ts'
import { unregisterConsumer } from './commands/unregister-consumer.ts'
import { OutboxError } from './errors.ts'
import { type OutboxCommand, parseOutboxCommand } from './outbox-command-line.ts'
import { count, describeDeadLetter, describeHistory, describeSummary } from './outbox-report.ts'
import { findEventHistory } from './queries/find-event-history.ts'
import { type ListDeadLetters, listDeadLetters } from './queries/list-dead-letters.ts'
import { type OutboxSummary, summarizeOutbox } from './queries/summarize-outbox.ts'

/** The command line and the terminal of one run of {@link runOutboxCommand}. */
export interface OutboxCommandOptions {
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

/** The exit statuses of {@link runOutboxCommand}. */
export const outboxExitCodes = { done: 0, failed: 1, usage: 2 } as const

/** Maximum number of dead letters that "list" shows without "--all". */
const listLimit = 50
/** How many dead letters "retry --all" reads at once, and then shows its progress. */
const retryPage = 500

const help = `Usage: outbox <command>

  list                      list dead letters, the oldest first, and the pending deliveries of each consumer
    --consumer <name>       of this consumer only
    --all                   all of them, not only the first ${listLimit}
  show <event id>           show the deliveries and attempts of an event
  retry <event id>          retry a dead letter, with all attempts available again
    --all --consumer <name> all dead letters of a consumer, instead of those of an event
  discard <event id>        discard a dead letter; the events it holds back continue
    --reason "<why>"        required; the audit log keeps it with your account name
    --consumer <name>       for this consumer only
  unregister <consumer>     remove a consumer that no host runs: discard all its deliveries, and append no more
    --reason "<why>"        required, as for discard
    --confirm               required

Uses the database of DATABASE_URL, or DATABASE_DIRECT_URL if it is set. Never shows the data of an event.
Exit status: 0 done · 1 failed; nothing changed, except by retry --all, or if the connection or the output was lost · 2 wrong usage · ${configurationExitCode} a key is missing or invalid`

/**
 * Runs the command line of the outbox for operators, as a command of a host:
 * `process.exitCode = await runOutboxCommand({ argv, environment, operator })`.
 * Never rejects: it prints the problem and returns an exit status of {@link outboxExitCodes}.
 */
export function runOutboxCommand(options: OutboxCommandOptions): Promise<number> {
  return runOnTerminal(options, outboxExitCodes.failed, (terminal) => runCommand(options, terminal))
}

async function runCommand(options: OutboxCommandOptions, { write, writeError }: Terminal): Promise<number> {
  const { argv, operator } = options
  if (argv.includes('--help') || argv.includes('-h')) {
    write(help)
    return outboxExitCodes.done
  }
  const command = parseOutboxCommand(argv)
  if (typeof command === 'string') {
    writeError(`${command}\n`)
    writeError(help)
    return outboxExitCodes.usage
  }
  try {
    const address = readConfiguration(options.environment, readDirectAddress)
    for (const line of await runOn(address, command, { operator, write })) write(line)
    return outboxExitCodes.done
  } catch (error) {
    if (error instanceof ConfigurationError) {
      for (const problem of error.problems) writeError(problem)
      return configurationExitCode
    }
    for (const line of describeCommandFailure(error)) writeError(line)
    return outboxExitCodes.failed
  }
}

/** The operator, and what shows the progress of a long command. */
type Operation = Required<Pick<OutboxCommandOptions, 'operator' | 'write'>>

async function runOn(
  address: DirectAddress,
  command: OutboxCommand,
  terminal: Operation,
): Promise<readonly string[]> {
  const database = createCommandDatabase(address, { applicationName: 'vertical-kit-outbox' })
  try {
    return await run(database, command, terminal)
  } finally {
    await database.close()
  }
}

async function run(
  database: Database,
  command: OutboxCommand,
  { operator, write }: Operation,
): Promise<readonly string[]> {
  if (command.name === 'list') return list(database, command)
  if (command.name === 'retry-all') return retryAll(database, command, { operator, write })
  if (command.name === 'unregister') {
    const discardedCount = await database.transaction((tx) =>
      unregisterConsumer(tx, { ...command, by: { operator } }),
    )
    return [`${command.consumer} is removed. Discarded deliveries: ${discardedCount}.`]
  }
  const { name, eventId } = command
  if (name === 'show') {
    const history = await database.read((db) => findEventHistory(db, eventId))
    if (history !== undefined) return describeHistory(history)
    throw new OutboxError('outbox.event_not_found', { detail: `Event ${eventId} does not exist.` })
  }
  const { consumer, reason } = command
  const [change, done] =
    name === 'retry' ? [retryDeadLetters, 'will be retried by'] : [discardDeadLetters, 'is discarded for']
  const input = { eventId, consumer, reason, by: { operator } }
  const consumers = await database.transaction((tx) => change(tx, input))
  return [`${eventId} ${done} ${consumers.join(', ')}.`]
}

/**
 * Retries every dead letter that a consumer has at the start, each in its own transaction: a failure or Ctrl+C leaves the rest as dead
 * letters for the next run. Those that have used their new attempts before the end of the run stay, too.
 */
async function retryAll(
  database: Database,
  { consumer, reason }: Extract<OutboxCommand, { name: 'retry-all' }>,
  { operator, write }: Operation,
): Promise<readonly string[]> {
  const [summary] = await summarize(database, consumer)
  // The list begins with the oldest, so letters that die during the run are behind these.
  let leftCount = summary?.deadCount ?? 0
  let retriedCount = 0
  let cursor: string | null = null
  try {
    do {
      const query: ListDeadLetters = { consumer, limit: Math.max(1, Math.min(retryPage, leftCount)), cursor }
      const { items, nextCursor } = await database.read((db) => listDeadLetters(db, query))
      for (const { eventId } of items) {
        if (await retryOne(database, { eventId, consumer, reason, by: { operator } })) retriedCount += 1
      }
      leftCount -= items.length
      cursor = leftCount > 0 ? nextCursor : null
      if (cursor !== null) write(`${count(leftCount, 'dead letter')} left`)
    } while (cursor !== null)
  } finally {
    write(`${count(retriedCount, 'dead letter')} will be retried by ${consumer}.`)
  }
  return []
}

/** Returns false if another operator was faster. */
async function retryOne(database: Database, input: ChangeDeadLetters): Promise<boolean> {
  try {
    await database.transaction((tx) => retryDeadLetters(tx, input))
    return true
  } catch (error) {
    if (error instanceof OutboxError) return false
    throw error
  }
}

/** Returns the work of a consumer, or of all. @throws {OutboxError} outbox.delivery_not_found for an unknown consumer */
async function summarize(database: Database, consumer: string | null): Promise<readonly OutboxSummary[]> {
  const summaries = await database.read((db) => summarizeOutbox(db, consumer))
  if (consumer === null || summaries.length > 0) return summaries
  throw new OutboxError('outbox.delivery_not_found', { detail: `No consumer ${consumer} is registered.` })
}

async function list(
  database: Database,
  { consumer, isWhole }: Extract<OutboxCommand, { name: 'list' }>,
): Promise<readonly string[]> {
  const summaries = await summarize(database, consumer)
  const limit = isWhole ? null : listLimit
  const page = { consumer, limit, cursor: null }
  const { items: letters } = await database.read((db) => listDeadLetters(db, page))
  const deadCount = summaries.reduce((sum, summary) => sum + summary.deadCount, 0)
  return [
    ...letters.flatMap(describeDeadLetter),
    ...(letters.length < deadCount
      ? [`… the first ${letters.length} of ${count(deadCount, 'dead letter')}; --all lists every one.`]
      : []),
    ...summaries.map(describeSummary),
    ...(summaries.length === 0 ? ['No consumer is registered.'] : []),
  ]
}
