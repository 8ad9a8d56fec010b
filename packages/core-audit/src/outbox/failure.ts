import { isKitError } from '../errors.ts'
import { describeError } from '../http/describe-error.ts'

/** Limits of a stored failure: a line is enough, and the history of a poison event must not fill the disk. */
const maxChars = 500
const maxFrames = 10

/**
 * Describes a handler's error for the history, which every operator can read: its type, code and stack frames, and the
 * messages of our own errors, which contain no data. Any other message can quote the event; only the log of the failed
 * process contains it. The result is truncated and limited to characters that PostgreSQL's jsonb can store.
 */
export function describeFailure(error: unknown): Readonly<Record<string, unknown>> {
  return clean(describeError(error), error) as Readonly<Record<string, unknown>>
}

/** Cleans `value`. `source` is the error that it describes, if any. */
function clean(value: unknown, source?: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, maxChars).replaceAll('\0', '').toWellFormed()
  if (Array.isArray(value)) return value.slice(0, maxFrames).map((part) => clean(part))
  if (typeof value !== 'object' || value === null) return value
  const cause = source instanceof Error ? source.cause : undefined
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'message' || isKitError(source))
      .map(([name, part]) => [name, clean(part, name === 'cause' ? cause : undefined)]),
  )
}

/** Formats a stored failure as one line: `NotesError notes.deleted: …`, or `RangeError at sendMail (…)`. */
export function summarizeFailure(failure: Readonly<Record<string, unknown>>): string {
  const { type, code, constraint, message, frames } = failure
  const kind = [type, code, constraint].filter((part) => typeof part === 'string').join(' ')
  if (typeof message === 'string') return `${kind}: ${message}`
  const place = Array.isArray(frames) ? (frames.find(isOfTheHost) ?? frames[0]) : undefined
  return typeof place === 'string' ? `${kind} ${place}` : kind
}

/** Prefers a frame of the host's own sources: it is more useful than a frame of a dependency. */
const isOfTheHost = (frame: unknown): boolean =>
  typeof frame === 'string' && !frame.includes('/node_modules/') && !frame.includes('(node:')
