import { count, grouped } from '../../count.ts'
import type { AuditAnchor } from '../anchor.ts'
import { timeOfId } from '../event-ids.ts'
import type { AuditDifference } from './difference.ts'
import type { VerifiedSeals, VerifyResult } from './verify-seals.ts'

/** Describes a difference in one line, which begins with its kind. */
export function describeDifference(difference: AuditDifference): string {
  const { kind, sequence } = difference
  const seal = `(seal ${sequence})`
  switch (kind) {
    case 'changed':
      return `changed: event ${difference.eventId} ${seal}`
    case 'inserted':
      return `inserted: event ${difference.eventId} ${seal}`
    case 'reordered':
      return `reordered: event ${difference.eventId} has the content of event ${difference.contentOfId} ${seal}`
    case 'missing':
      return `missing: an event ${placeOf(difference)} ${seal}`
    case 'unknown':
      return `changed: an event ${seal}; it cannot be named`
    case 'seal changed':
      return `changed: seal ${sequence}, or the seal before it`
    case 'seal missing':
      return `missing: seal ${sequence}`
    case 'seal repeated':
      return `repeated: seal ${sequence}; another seal has the same number`
    case 'anchor differs':
      return `replaced: seal ${sequence} is not the one of its anchor`
    case 'anchor missing':
      return `missing: seal ${sequence}, which has an anchor`
  }
}

function placeOf({ afterId, beforeId }: Extract<AuditDifference, { kind: 'missing' }>): string {
  if (afterId !== null && beforeId !== null) return `between ${afterId} and ${beforeId}`
  if (beforeId !== null) return `before ${beforeId}`
  return afterId === null ? 'and all others of the seal' : `after ${afterId}`
}

/** Describes how far the verification is, in one line. */
export const describeProgress = ({ newest, ...counts }: VerifiedSeals): string =>
  newest === null
    ? 'No seal was read.'
    : `Found ${foundOf(counts)}, up to ${instantOf(newest.lastEventId)} (seal ${newest.sequence}).`

/** Describes what was verified and what was not, in some lines. */
export function describeResult(
  result: VerifyResult,
  {
    anchors,
    fromSequence,
    differenceCount,
  }: {
    readonly anchors: readonly AuditAnchor[]
    readonly fromSequence: number
    readonly differenceCount: number
  },
): readonly string[] {
  const { newest, lastDropped, sealCount, eventCount, unsealed } = result
  const waiting = `${unsealedCount(unsealed.eventCount)} not sealed yet.`
  if (newest === null) {
    if (fromSequence > 1) return [`There is no seal from number ${fromSequence} on, so nothing was verified.`]
    return [`There is no seal, so nothing was verified. ${waiting}`]
  }
  const seals = count(sealCount, 'seal')
  const outcome =
    differenceCount === 0
      ? `Verified ${count(eventCount, 'event')} and ${seals}`
      : `Found ${foundOf(result)} and compared ${seals}`
  const end = `up to ${instantOf(newest.lastEventId)} (seal ${newest.sequence})`
  return [
    `${outcome}, ${end}. ${waiting}`,
    ...(fromSequence === 1
      ? []
      : [`Not verified: the seals before number ${fromSequence} and their events.`]),
    ...(lastDropped === null
      ? []
      : [
          `Not verified: the events up to ${instantOf(lastDropped.lastEventId)} (seal ${lastDropped.sequence}). They were ` +
            'dropped with their partition; only the chain of their seals is verified.',
        ]),
    describeAnchors(anchors, newest.sequence),
  ]
}

function describeAnchors(anchors: readonly AuditAnchor[], newestSequence: number): string {
  if (anchors.length === 0) {
    return 'Not verified: that nobody replaced all seals, or removed the newest seals with their events. Use --anchor.'
  }
  const covered = anchors.reduce((newest, { sequence }) => Math.max(newest, sequence), 0)
  const compared = `Compared ${count(anchors.length, 'anchor')}; the newest is that of seal ${covered}.`
  if (covered >= newestSequence) return compared
  return `${compared} Not verified: that nobody replaced or removed seals after it.`
}

const foundOf = ({ foundCount, eventCount }: Pick<VerifiedSeals, 'foundCount' | 'eventCount'>): string =>
  `${grouped(foundCount)} of ${count(eventCount, 'sealed event')}`

const unsealedCount = (eventCount: number): string =>
  eventCount === 1
    ? '1 newer event is'
    : `${eventCount >= 1_000_000 ? 'At least ' : ''}${grouped(eventCount)} newer events are`

const instantOf = (id: string): string => new Date(Math.min(timeOfId(id), maxTimeMs)).toISOString()

/** The largest time of a `Date` in four digits of a year. */
const maxTimeMs = Date.UTC(9999, 11, 31)
