import { createCommandDatabase, type Database, readDirectAddress } from '@vertical-kit/core-audit/database'
import {
  ConfigurationError,
  configurationExitCode,
  describeCommandFailure,
  type Environment,
  OutputError,
  readConfiguration,
  runOnTerminal,
  type Terminal,
} from '@vertical-kit/core-audit/host'
import { summarizeFailure } from '@vertical-kit/core-audit/outbox'
import { addEndpoint } from './commands/add-endpoint.ts'
import { rotateSecret, switchEndpoint } from './commands/change-endpoint.ts'
import { discardDeadLetters } from './commands/discard-dead-letters.ts'
import { redeliver, redeliverDead } from './commands/redeliver.ts'
import { readWebhooksConfig, type WebhooksConfig } from './config.ts'
import { WebhooksError } from './errors.ts'
import { listDeadDeliveries, listEndpoints } from './queries/list-endpoints.ts'
import {
  listLimit,
  parseWebhooksCommand,
  type WebhooksCommand,
  webhooksHelp,
} from './webhooks-command-line.ts'

/** The command line and the terminal of one run of {@link runWebhooksCommand}. */
export interface WebhooksCommandOptions {
  /** The arguments after the script's name: `process.argv.slice(2)`. */
  readonly argv: readonly string[]
  /** `process.env`. Reads the keys of the database and of the section `Webhooks__`. */
  readonly environment: Environment
  /** The operator's name for the audit log: the name of the account on this machine. */
  readonly operator: string
  /** Receives each line for standard output; `console.log` when absent. */
  readonly write?: (line: string) => void
  /** Receives each line for standard error; `console.error` when absent. */
  readonly writeError?: (line: string) => void
}

/** The exit statuses of {@link runWebhooksCommand}. */
export const webhooksExitCodes = { done: 0, failed: 1, usage: 2 } as const

/**
 * Runs the command line of the webhooks for operators, as a command of a host:
 * `process.exitCode = await runWebhooksCommand({ argv, environment, operator })`.
 * Never rejects: it prints the problem and returns an exit status of {@link webhooksExitCodes}.
 */
export function runWebhooksCommand(options: WebhooksCommandOptions): Promise<number> {
  return runOnTerminal(options, webhooksExitCodes.failed, (terminal) => runCommand(options, terminal))
}

async function runCommand(options: WebhooksCommandOptions, terminal: Terminal): Promise<number> {
  const { argv, operator } = options
  const { write, writeError } = terminal
  if (argv.includes('--help') || argv.includes('-h')) {
    write(webhooksHelp)
    return webhooksExitCodes.done
  }
  const command = parseWebhooksCommand(argv)
  if (typeof command === 'string') {
    for (const line of [`${command}\n`, webhooksHelp]) writeError(line)
    return webhooksExitCodes.usage
  }
  try {
    const config = readConfiguration(options.environment, (env) => ({
      address: readDirectAddress(env),
      webhooks: readWebhooksConfig(env),
    }))
    const database = createCommandDatabase(config.address, { applicationName: 'vertical-kit-webhooks' })
    try {
      const running = { database, config: config.webhooks, operator, terminal }
      for (const line of await run(running, command)) write(line)
    } finally {
      await database.close()
    }
    return webhooksExitCodes.done
  } catch (error) {
    if (error instanceof OutputError) throw error
    const isInvalid = error instanceof ConfigurationError
    for (const line of isInvalid ? error.problems : describeCommandFailure(error)) writeError(line)
    if (isInvalid) return configurationExitCode
    return isUsage(error) ? webhooksExitCodes.usage : webhooksExitCodes.failed
  }
}

/** Returns whether a value of the command line is malformed. */
const isUsage = (error: unknown): boolean =>
  error instanceof WebhooksError &&
  (error.code === 'webhooks.url_invalid' || error.code === 'webhooks.event_type_invalid')

interface Running {
  readonly database: Database
  readonly config: WebhooksConfig
  readonly operator: string
  readonly terminal: Terminal
}

async function run(
  { database, config, operator, terminal }: Running,
  command: WebhooksCommand,
): Promise<readonly string[]> {
  switch (command.name) {
    case 'add': {
      await database.transaction(async (tx) => {
        const { id, secret } = await addEndpoint(tx, config, { ...command, operator })
        const lines = [`Endpoint ${id}`, `Secret   ${secret}`, `Events   ${eventsOf(command.eventTypes)}`]
        await printSecret(terminal, lines)
      })
      return []
    }
    case 'list':
      return list(database, command.isWhole ? null : listLimit)
    case 'rotate': {
      await database.transaction(async (tx) => {
        const secret = await rotateSecret(tx, { ...command, operator })
        await printSecret(terminal, [`Secret   ${secret}`, 'The previous secret also signs for 24 hours.'])
      })
      return []
    }
    case 'enable':
    case 'disable': {
      const isActive = command.name === 'enable'
      await database.transaction((tx) => switchEndpoint(tx, { ...command, operator, isActive }))
      return [`${command.endpointId} is ${command.name}d.`]
    }
    case 'redeliver': {
      const count = await database.transaction((tx) => redeliver(tx, { ...command, operator }))
      return [`${command.eventId} will be sent to ${count} endpoint(s).`]
    }
    case 'redeliver-dead': {
      const count = await database.transaction((tx) => redeliverDead(tx, { ...command, operator }))
      return [count === 0 ? 'There are no dead letters.' : `${count} dead letter(s) will be sent again.`]
    }
    case 'discard': {
      const count = await database.transaction((tx) => discardDeadLetters(tx, { ...command, operator }))
      return [count === 0 ? 'There are no dead letters.' : `${count} dead letter(s) are discarded.`]
    }
  }
}

/** Prints a secret before its commit: one that the operator has not received must not become valid. */
async function printSecret({ write, flush }: Terminal, lines: readonly string[]): Promise<void> {
  for (const line of lines) write(line)
  await flush()
}

const eventsOf = (types: readonly string[]): string => (types.length === 0 ? 'all events' : types.join(','))

async function list(database: Database, limit: number | null): Promise<readonly string[]> {
  const [endpoints, dead] = await database.read((db) =>
    Promise.all([listEndpoints(db), listDeadDeliveries(db, limit)]),
  )
  const deadCount = endpoints.reduce((sum, endpoint) => sum + endpoint.deadCount, 0)
  return [
    ...(endpoints.length === 0 ? ['There are no endpoints.'] : []),
    ...endpoints.map((one) =>
      [
        one.id,
        one.origin,
        eventsOf(one.eventTypes),
        one.isActive ? 'active' : 'disabled',
        `${one.pendingCount} pending`,
        `${one.deadCount} dead`,
        ...(one.rotatingUntilUtc === null ? [] : [`two secrets until ${one.rotatingUntilUtc}`]),
      ].join('  '),
    ),
    ...dead.map((one) =>
      [
        ...['dead', one.id, `event ${one.eventId}`, one.eventType, `for ${one.endpointId}`],
        ...[
          `since ${one.deadSinceUtc}`,
          one.failure === null ? 'no attempt ended' : summarizeFailure(one.failure),
        ],
      ].join('  '),
    ),
    ...(dead.length < deadCount
      ? [`… the newest ${dead.length} of ${deadCount} dead letters; list --all shows all of them.`]
      : []),
  ]
}
