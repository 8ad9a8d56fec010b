import { describeError } from '../http/log.ts'

/** What of a failure is kept: a line says enough, and the history of a poison event must not fill the disk. */
const maxChars = 500
const maxFrames = 10

/**
 * What of a handler's error may be written down, in the history and in the log: what the log says of any error, less
 * the messages of validation, which quote the event's data; cut, and in characters that PostgreSQL's jsonb can hold.
 */
export function describeFailure(error: unknown): Readonly<Record<string, unknown>> {
  return clean(describeError(error)) as Readonly<Record<string, unknown>>
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, maxChars).replaceAll('\0', '').toWellFormed()
  if (Array.isArray(value)) return value.slice(0, maxFrames).map(clean)
  if (typeof value !== 'object' || value === null) return value
  const quotesData = Reflect.get(value, 'type') === 'ValiError'
  const kept = Object.entries(value).filter(([name]) => !(quotesData && name === 'message'))
  return Object.fromEntries(kept.map(([name, part]) => [name, clean(part)]))
}

/** A kept failure in one line: `TypeError X_CODE: message`. */
export function summarizeFailure(failure: Readonly<Record<string, unknown>>): string {
  const { type, code, constraint, message } = failure
  const kind = [type, code, constraint].filter((part) => typeof part === 'string').join(' ')
  return typeof message === 'string' ? `${kind}: ${message}` : kind
}
