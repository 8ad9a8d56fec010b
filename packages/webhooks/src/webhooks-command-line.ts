import { parseArgs } from 'node:util'

/** A parsed command of the operator. */
export type WebhooksCommand =
  | { readonly name: 'add'; readonly url: string; readonly eventTypes: readonly string[] }
  | { readonly name: 'list' }
  | { readonly name: 'rotate' | 'enable' | 'disable'; readonly endpointId: string }
  | { readonly name: 'redeliver'; readonly eventId: string; readonly endpointId: string | null }

export const webhooksHelp = `Usage: webhooks <command>

  add <url>                 add an endpoint, and print its id and its secret; the secret is not shown again
    --events <a,b>          the types of its events; all when absent
  list                      list the endpoints and the newest dead letters, without secrets and content
  rotate <endpoint id>      replace the secret, and print the new one; both sign for 24 hours
  disable <endpoint id>     stop requests to an endpoint
  enable <endpoint id>      resume them with later events
  redeliver <event id>      send finished deliveries of an event again
    --endpoint <id>         to this endpoint only

Uses the database of DATABASE_URL, or DATABASE_DIRECT_URL if it is set, and the keys Webhooks__… of the host.
The audit log keeps your account name. Exit status: 0 done · 1 failed, nothing changed · 2 wrong usage · 78 a key is invalid`

/** Parses the command line. Returns a text that describes the problem if the command line is invalid. */
export function parseWebhooksCommand(argv: readonly string[]): WebhooksCommand | string {
  const parsed = parse(argv)
  if (typeof parsed === 'string') return parsed
  const { name, rest, events, endpoint } = parsed
  const [subject = ''] = rest
  if (events !== undefined && name !== 'add') return '--events belongs to add.'
  if (endpoint !== undefined && name !== 'redeliver') return '--endpoint belongs to redeliver.'
  if (name === 'list') return rest.length === 0 ? { name } : 'list accepts nothing else.'
  if (name === undefined) return 'A command is required.'
  if (rest.length !== 1) return `${name} requires one value.`
  switch (name) {
    case 'add': {
      const eventTypes = (events ?? '').split(',').map((type) => type.trim())
      return { name, url: subject, eventTypes: eventTypes.filter((type) => type !== '') }
    }
    case 'rotate':
    case 'enable':
    case 'disable':
      return { name, endpointId: subject }
    case 'redeliver':
      return { name, eventId: subject, endpointId: endpoint ?? null }
    default:
      return `Unknown command "${name}".`
  }
}

function parse(argv: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { events: { type: 'string' }, endpoint: { type: 'string' } },
    })
    const [name, ...rest] = positionals
    return { name, rest, ...values }
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line cannot be read.'
  }
}
