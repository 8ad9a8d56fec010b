import { isKitError } from '../errors.ts'
import { describeError } from '../http/describe-error.ts'

/** What of a failure is kept: a line says enough, and the history of a poison event must not fill the disk. */
const maxChars = 500
const maxFrames = 10

/**
 * What of a handler's error is kept in the history, which every operator reads: its type, code and place, and the words
 * of refusals, which hold no data. Any other message may quote the event; it is in the log of the process that failed.
 * Cut, and in characters that PostgreSQL's jsonb can hold.
 */
export function describeFailure(error: unknown): Readonly<Record<string, unknown>> {
  return clean(describeError(error), error) as Readonly<Record<string, unknown>>
}

/** `source` is the error that `value` describes, where it is one. */
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

/** A kept failure in one line: `NotesError notes.deleted: …`, or `RangeError at sendMail (…)` where its words are not kept. */
export function summarizeFailure(failure: Readonly<Record<string, unknown>>): string {
  const { type, code, constraint, message, frames } = failure
  const kind = [type, code, constraint].filter((part) => typeof part === 'string').join(' ')
  if (typeof message === 'string') return `${kind}: ${message}`
  const place = Array.isArray(frames) ? (frames.find(isOfTheHost) ?? frames[0]) : undefined
  return typeof place === 'string' ? `${kind} ${place}` : kind
}

/** A frame of the host's own sources says more than one of a package it uses. */
const isOfTheHost = (frame: unknown): boolean =>
  typeof frame === 'string' && !frame.includes('/node_modules/') && !frame.includes('(node:')
