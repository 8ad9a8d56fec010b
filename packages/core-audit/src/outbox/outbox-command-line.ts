import { parseArgs } from 'node:util'
import { codePointCount, trimWhiteSpace } from '../http/contract.ts'

/** What an operator asked for. */
export type OutboxCommand =
  | { readonly name: 'list'; readonly consumer: string | null; readonly isWhole: boolean }
  | { readonly name: 'show'; readonly eventId: string }
  | {
      readonly name: 'retry' | 'discard'
      readonly eventId: string
      readonly consumer: string | null
      readonly reason: string
    }

/** As much as an audit timeline shows well. */
const maxReasonChars = 1_000

/** Reads the command line. A string says what is wrong with it. */
export function parseOutboxCommand(argv: readonly string[]): OutboxCommand | string {
  const parsed = parse(argv)
  if (typeof parsed === 'string') return parsed
  const { name, rest, consumer, reason, isWhole } = parsed
  const [eventId] = rest
  if (name === undefined) return 'Say what to do.'
  if (name !== 'list' && isWhole) return '--all belongs to list.'
  if (name === 'list') {
    if (rest.length > 0 || reason !== undefined) return 'list takes --consumer and --all, nothing else.'
    return { name, consumer, isWhole }
  }
  if (name !== 'show' && name !== 'retry' && name !== 'discard') return `There is no command "${name}".`
  if (eventId === undefined || rest.length > 1) return `${name} takes the id of one event.`
  if (name === 'show') {
    return reason === undefined && consumer === null
      ? { name, eventId }
      : 'show takes the id of an event alone.'
  }
  const words = trimWhiteSpace(reason ?? '')
  if (words === '') return 'Say why: --reason "…". It is kept in the audit log.'
  if (codePointCount(words) > maxReasonChars) return `--reason: at most ${maxReasonChars} characters`
  return { name, eventId, consumer, reason: words }
}

function parse(argv: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { all: { type: 'boolean' }, consumer: { type: 'string' }, reason: { type: 'string' } },
    })
    const [name, ...rest] = positionals
    return {
      name,
      rest,
      consumer: values.consumer ?? null,
      reason: values.reason,
      isWhole: values.all ?? false,
    }
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line cannot be read.'
  }
}
