import { codePointCount } from '@vertical-kit/core-audit/contract'
import { parseCommandLine } from '@vertical-kit/core-audit/host'
import type { DeadLetters } from './commands/discard-dead-letters.ts'

/** A parsed command of the operator. */
export type WebhooksCommand =
  | { readonly name: 'add'; readonly url: string; readonly eventTypes: readonly string[] }
  | { readonly name: 'list'; readonly isWhole: boolean }
  | { readonly name: 'rotate'; readonly endpointId: string; readonly isForced: boolean }
  | { readonly name: 'enable' | 'disable'; readonly endpointId: string }
  | { readonly name: 'redeliver'; readonly eventId: string; readonly endpointId: string | null }
  | { readonly name: 'redeliver-dead'; readonly endpointId: string }
  | { readonly name: 'discard'; readonly letters: DeadLetters; readonly reason: string }

/** The maximum number of dead letters that `list` shows without `--all`. */
export const listLimit = 50
const reasonMaxChars = 1_000

export const webhooksHelp = `Usage: webhooks <command>

  add <url>                 add an endpoint, and print its id and its secret; the secret is not shown again
    --events <a,b>          the types of its events; all when absent
  list                      list the endpoints and the newest ${listLimit} dead letters, without secrets and content
    --all                   all dead letters
  rotate <endpoint id>      replace the secret, and print the new one; both sign for 24 hours
    --force                 also within 24 hours of the last rotation; ends the oldest secret at once
  disable <endpoint id>     stop requests to an endpoint; /health then ignores its dead letters
  enable <endpoint id>      resume them with later events
  redeliver <event id>      send finished deliveries of an event again
    --endpoint <id>         to this endpoint only
  redeliver --dead --endpoint <id>
                            send all dead letters of an endpoint again
  discard <delivery id>     give up a dead letter; \`list\` shows its id
  discard --endpoint <id>   give up all dead letters of an endpoint
  discard --all             give up all dead letters
    --reason "<why>"        required; the audit log keeps it

Uses the database of DATABASE_URL, or DATABASE_DIRECT_URL if it is set, and the keys Webhooks__… of the host.
The audit log keeps your account name. Exit status: 0 done · 1 failed; nothing changed, unless the connection or the output was lost · 2 wrong usage · 78 a key is invalid`

/** The options of each command. */
const optionsOf = {
  add: ['events'],
  list: ['all'],
  rotate: ['force'],
  enable: [],
  disable: [],
  redeliver: ['endpoint', 'dead'],
  discard: ['endpoint', 'all', 'reason'],
} as const
type Name = keyof typeof optionsOf

/** Parses the command line. Returns a text that describes the problem if the command line is invalid. */
export function parseWebhooksCommand(argv: readonly string[]): WebhooksCommand | string {
  const parsed = parse(argv)
  if (typeof parsed === 'string') return parsed
  const { name, rest, values } = parsed
  if (name === undefined) return 'A command is required.'
  if (!isName(name)) return `Unknown command "${name}".`
  const accepted: readonly string[] = optionsOf[name]
  const foreign = Object.keys(values).find((option) => !accepted.includes(option))
  if (foreign !== undefined) return `${name} does not accept --${foreign}.`
  if (name === 'list') {
    return rest.length === 0 ? { name, isWhole: values.all ?? false } : 'list accepts no value.'
  }
  if (name === 'discard') return parseDiscard(rest, values)
  const [subject] = rest
  if (name === 'redeliver' && values.dead === true) {
    if (rest.length > 0 || values.endpoint === undefined) return 'redeliver --dead requires only --endpoint.'
    return { name: 'redeliver-dead', endpointId: values.endpoint }
  }
  if (subject === undefined || rest.length !== 1) return `${name} requires one value.`
  switch (name) {
    case 'add': {
      const given = (values.events ?? '').split(',').map((type) => type.trim())
      const eventTypes = given.filter((type) => type !== '')
      // An empty list means all events, so an unset variable of a script must not select them.
      if (values.events !== undefined && eventTypes.length === 0) {
        return '--events names no type. Leave it out for all events.'
      }
      return { name, url: subject, eventTypes }
    }
    case 'rotate':
      return { name, endpointId: subject, isForced: values.force ?? false }
    case 'enable':
    case 'disable':
      return { name, endpointId: subject }
    case 'redeliver':
      return { name, eventId: subject, endpointId: values.endpoint ?? null }
  }
}

const isName = (name: string): name is Name => Object.hasOwn(optionsOf, name)

interface DiscardValues {
  readonly endpoint?: string
  readonly all?: boolean
  readonly reason?: string
}

function parseDiscard(rest: readonly string[], values: DiscardValues): WebhooksCommand | string {
  const selections: DeadLetters[] = [
    ...rest.map((deliveryId) => ({ deliveryId })),
    ...(values.endpoint === undefined ? [] : [{ endpointId: values.endpoint }]),
    ...(values.all === true ? (['all'] as const) : []),
  ]
  const [letters] = selections
  if (letters === undefined || selections.length > 1) {
    return 'discard requires the id of one delivery, --endpoint or --all.'
  }
  const reason = (values.reason ?? '').trim()
  if (reason === '') return '--reason "…" is required. The audit log keeps it.'
  if (codePointCount(reason) > reasonMaxChars) return `--reason: at most ${reasonMaxChars} characters`
  return { name: 'discard', letters, reason }
}

function parse(argv: readonly string[]) {
  try {
    const { values, positionals } = parseCommandLine({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...{ events: { type: 'string' }, endpoint: { type: 'string' }, reason: { type: 'string' } },
        ...{ all: { type: 'boolean' }, dead: { type: 'boolean' }, force: { type: 'boolean' } },
      },
    })
    const [name, ...rest] = positionals
    return { name, rest, values }
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line cannot be read.'
  }
}
