import { parseArgs } from 'node:util'
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

/** Parses the command line. Returns a text that describes the problem if the command line is invalid. */
export function parseOutboxCommand(argv: readonly string[]): OutboxCommand | string {
  const parsed = parse(argv)
  if (typeof parsed === 'string') return parsed
  const { name, rest, consumer, reason, isWhole } = parsed
  const [eventId] = rest
  if (name === undefined) return 'A command is required.'
  if (name !== 'list' && isWhole) return '--all belongs to list.'
  if (name === 'list') {
    if (rest.length > 0 || reason !== undefined) return 'list accepts only --consumer and --all.'
    return { name, consumer, isWhole }
  }
  if (name !== 'show' && name !== 'retry' && name !== 'discard') return `Unknown command "${name}".`
  if (eventId === undefined || rest.length > 1) return `${name} requires the id of one event.`
  if (name === 'show') {
    return reason === undefined && consumer === null
      ? { name, eventId }
      : 'show accepts only the id of one event.'
  }
  const words = trimWhiteSpace(reason ?? '')
  if (words === '') return '--reason "…" is required. The audit log keeps it.'
  if (codePointCount(words) > reasonMaxChars) return `--reason: at most ${reasonMaxChars} characters`
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
