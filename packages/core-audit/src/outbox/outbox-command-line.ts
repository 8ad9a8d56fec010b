import { parseCommandLine } from '../host/parse-command-line.ts'
import { codePointCount, trimWhiteSpace } from '../http/contract.ts'
import { reasonMaxChars } from './contract.ts'

/** A parsed command of the operator. */
export type OutboxCommand =
  | { readonly name: 'list'; readonly consumer: string | null; readonly isWhole: boolean }
  | { readonly name: 'show'; readonly eventId: string }
  | {
      readonly name: 'retry' | 'discard'
      readonly eventId: string
      readonly consumer: string | null
      readonly reason: string
    }
  | { readonly name: 'retry-all'; readonly consumer: string; readonly reason: string }
  | { readonly name: 'unregister'; readonly consumer: string; readonly reason: string }

/** Parses the command line. Returns a text that describes the problem if the command line is invalid. */
export function parseOutboxCommand(argv: readonly string[]): OutboxCommand | string {
  const parsed = parse(argv)
  if (typeof parsed === 'string') return parsed
  const { name, rest, consumer, reason, isWhole, isConfirmed } = parsed
  const [subject] = rest
  if (name === undefined) return 'A command is required.'
  if (name !== 'list' && name !== 'retry' && isWhole) return '--all belongs to list and retry.'
  if (name !== 'unregister' && isConfirmed) return '--confirm belongs to unregister.'
  if (name === 'list') {
    if (rest.length > 0 || reason !== undefined) return 'list accepts only --consumer and --all.'
    return { name, consumer, isWhole }
  }
  if (!isCommand(name)) return `Unknown command "${name}".`
  const words = trimWhiteSpace(reason ?? '')
  if (isWhole) {
    if (rest.length > 0 || consumer === null) return 'retry --all requires --consumer, and no event.'
    return problemOf(words) ?? { name: 'retry-all', consumer, reason: words }
  }
  if (subject === undefined || rest.length > 1) {
    return `${name} requires ${name === 'unregister' ? 'the name of one consumer' : 'the id of one event'}.`
  }
  if (name === 'show') {
    return reason === undefined && consumer === null
      ? { name, eventId: subject }
      : 'show accepts only the id of one event.'
  }
  if (name === 'unregister' && consumer !== null)
    return 'unregister requires the consumer without --consumer.'
  const problem = problemOf(words)
  if (problem !== undefined) return problem
  if (name !== 'unregister') return { name, eventId: subject, consumer, reason: words }
  if (isConfirmed) return { name, consumer: subject, reason: words }
  return 'unregister discards every delivery of the consumer, also dead letters, and cannot be undone: add --confirm.'
}

function problemOf(reason: string): string | undefined {
  if (reason === '') return '--reason "…" is required. The audit log keeps it.'
  return codePointCount(reason) > reasonMaxChars
    ? `--reason: at most ${reasonMaxChars} characters`
    : undefined
}

const isCommand = (name: string): name is Exclude<OutboxCommand['name'], 'list' | 'retry-all'> =>
  name === 'show' || name === 'retry' || name === 'discard' || name === 'unregister'

function parse(argv: readonly string[]) {
  try {
    const { values, positionals } = parseCommandLine({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...{ all: { type: 'boolean' }, confirm: { type: 'boolean' } },
        ...{ consumer: { type: 'string' }, reason: { type: 'string' } },
      },
    })
    const [name, ...rest] = positionals
    return {
      name,
      rest,
      consumer: values.consumer ?? null,
      reason: values.reason,
      isWhole: values.all ?? false,
      isConfirmed: values.confirm ?? false,
    }
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line cannot be read.'
  }
}
