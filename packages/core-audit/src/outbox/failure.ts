import { isKitError } from '../errors.ts'
import { describeError } from '../http/describe-error.ts'

/** Limits of a stored failure: the history of an event that always fails must not fill the disk. */
const maxChars = 500
const maxFrames = 10

/**
 * Describes a handler's error for the history. Every operator can read the history, so the description contains only the
 * type, code and stack frames of the error, the messages of our own errors, which contain no data, and numbers such as the
 * status of an answer. Other messages can quote the event, so only the log of the process contains them. The result is
 * truncated and limited to characters that PostgreSQL's jsonb can store.
 */
export function describeFailure(error: unknown): Readonly<Record<string, unknown>> {
  return clean(describeError(error), error) as Readonly<Record<string, unknown>>
}

/** Returns `value` without unsafe parts. `source` is the error that `value` describes, or undefined. */
function clean(value: unknown, source?: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, maxChars).replaceAll('\0', '').toWellFormed()
  if (Array.isArray(value)) return value.slice(0, maxFrames).map((part) => clean(part))
  if (typeof value !== 'object' || value === null) return value
  const cause = source instanceof Error ? source.cause : undefined
  return Object.fromEntries(
    [...Object.entries(value), ...numbersOf(source)]
      .filter(([name]) => name !== 'message' || isKitError(source))
      .map(([name, part]) => [name, clean(part, name === 'cause' ? cause : undefined)]),
  )
}

/**
 * Returns the numbers that an error carries: the context of our own errors, and the answer of an SMTP server. Their texts could
 * contain data.
 */
function numbersOf(source: unknown): readonly (readonly [string, unknown])[] {
  if (!(source instanceof Error)) return []
  const responseCode: unknown = Reflect.get(source, 'responseCode')
  const context = Object.entries((isKitError(source) ? source.context : undefined) ?? {}).filter(
    ([, part]) => typeof part === 'number',
  )
  return [
    ...(typeof responseCode === 'number' ? [['responseCode', responseCode] as const] : []),
    ...(context.length > 0 ? [['context', Object.fromEntries(context)] as const] : []),
  ]
}

/**
 * Formats a stored failure as one line: `NotesError notes.deleted: …`, `RangeError at sendMail (…)`, or `Error EENVELOPE 550`.
 * The numbers of its context follow in parentheses.
 */
export function summarizeFailure(failure: Readonly<Record<string, unknown>>): string {
  const { type, code, responseCode, constraint, message, frames, context } = failure
  const kind = [type, code, responseCode, constraint].filter((part) => part !== undefined).join(' ')
  if (typeof message === 'string') return `${kind}: ${message}${describeContext(context)}`
  const places = Array.isArray(frames) ? frames : []
  // A code says more than a frame of a dependency.
  const place = places.find(isOfTheHost) ?? (code === undefined ? places[0] : undefined)
  return typeof place === 'string' ? `${kind} ${place}` : kind
}

function describeContext(context: unknown): string {
  if (typeof context !== 'object' || context === null) return ''
  return ` (${Object.entries(context)
    .map((parts) => parts.join(' '))
    .join(', ')})`
}

/** Prefers a stack frame of the host's own sources, because it is more useful than a frame of a dependency. */
const isOfTheHost = (frame: unknown): boolean =>
  typeof frame === 'string' && !frame.includes('/node_modules/') && !frame.includes('(node:')
