import type { Database } from '../../../database/database.ts'
import { listPartitions } from '../../queries/list-partitions.ts'
import type { AuditAnchor } from '../anchor.ts'
import { compareEvents } from './compare-events.ts'
import type { AuditDifference } from './difference.ts'
import { countEventsAfter, readSealHashes, type SealHash, type StoredSeal } from './queries.ts'
import { type ChainLink, hasOwnEvents, readChain } from './read-chain.ts'

export interface VerifySeals {
  /** The first seal to verify. The stored hash of the seal before it is trusted. */
  readonly fromSequence: number
  readonly anchors: readonly AuditAnchor[]
  /** The operator confirms that partitions with smaller ids were dropped; `null` if none was. */
  readonly droppedBelowId: string | null
  /** Called after each page of seals. */
  onProgress(progress: VerifiedSeals): void
  /** Called for each difference: first those of seals and events in order, then those of anchors. */
  onDifference(difference: AuditDifference): void
}

/** The seals and events that were compared. */
export interface VerifiedSeals {
  readonly sealCount: number
  /** The number of sealed events. */
  readonly eventCount: number
  /** The number of them that exist. Their content can differ. */
  readonly foundCount: number
  /** The last of the seals whose events were dropped with their partition. */
  readonly lastDropped: StoredSeal | null
  readonly newest: StoredSeal | null
}

export interface VerifyResult extends VerifiedSeals {
  /** The events after the last seal; a larger number than a million counts as a million. */
  readonly unsealed: { readonly eventCount: number; readonly firstId: string | null }
}

const maxUnsealedCount = 1_000_000

/**
 * Compares the seals with each other, with the events and with the anchors. It needs constant memory and no lock: events can
 * be written and sealed at the same time.
 * @throws {CoreError} service.unavailable
 */
export async function verifySeals(database: Database, options: VerifySeals): Promise<VerifyResult> {
  const { fromSequence, anchors, onProgress, onDifference } = options
  let verified: VerifiedSeals = {
    sealCount: 0,
    eventCount: 0,
    foundCount: 0,
    lastDropped: null,
    newest: null,
  }
  const numbers = new Set(anchors.map(({ sequence }) => sequence))
  const earlier = [...numbers].filter((sequence) => sequence < fromSequence)
  const anchored = [...(await database.read((db) => readSealHashes(db, earlier)))]
  for await (const links of readChain(database, fromSequence)) {
    for (const { seal } of links) if (numbers.has(seal.sequence)) anchored.push(seal)
    verified = add(verified, await verifyLinks(database, links, options))
    onProgress(verified)
  }
  compareAnchors(anchors, anchored, onDifference)
  const after = verified.newest?.lastEventId ?? null
  const unsealed = await database.read((db) => countEventsAfter(db, after, maxUnsealedCount))
  return { ...verified, unsealed }
}

async function verifyLinks(
  database: Database,
  links: readonly ChainLink[],
  { droppedBelowId, onDifference }: VerifySeals,
): Promise<VerifiedSeals> {
  const intact = links.filter(hasOwnEvents)
  const isDropped = await dropped(database, droppedBelowId)
  const compared = await compareEvents(
    database,
    intact.filter(({ seal }) => !isDropped(seal)),
  )
  // A partition can be dropped while its events are compared.
  const isEqual = [...compared.values()].every(({ difference }) => difference === null)
  const isDroppedNow = isEqual ? isDropped : await dropped(database, droppedBelowId)
  for (const link of links) {
    const { seal, problem } = link
    if (problem !== null) onDifference(problem)
    const difference = hasOwnEvents(link) ? compared.get(seal.sequence)?.difference : null
    if (difference && !isDroppedNow(seal)) onDifference(difference)
  }
  const present = intact.filter(({ seal }) => !isDroppedNow(seal))
  return {
    sealCount: links.length,
    eventCount: present.reduce((sum, { seal }) => sum + seal.eventCount, 0),
    foundCount: present.reduce((sum, { seal }) => sum + (compared.get(seal.sequence)?.foundCount ?? 0), 0),
    lastDropped: intact.findLast(({ seal }) => isDroppedNow(seal))?.seal ?? null,
    newest: links.at(-1)?.seal ?? null,
  }
}

/**
 * Returns whether the events of a seal were dropped. The catalog alone does not prove it: the owner of the tables can also
 * detach a partition or move its bound, to remove events.
 */
async function dropped(
  database: Database,
  droppedBelowId: string | null,
): Promise<(seal: StoredSeal) => boolean> {
  const oldest = (await database.read(listPartitions)).at(-1)
  const lowestId = oldest?.firstId ?? null
  if (lowestId === null || droppedBelowId === null) return () => false
  return ({ lastEventId }) => lastEventId < lowestId && lastEventId < droppedBelowId
}

const add = (sum: VerifiedSeals, next: VerifiedSeals): VerifiedSeals => ({
  sealCount: sum.sealCount + next.sealCount,
  eventCount: sum.eventCount + next.eventCount,
  foundCount: sum.foundCount + next.foundCount,
  lastDropped: next.lastDropped ?? sum.lastDropped,
  newest: next.newest ?? sum.newest,
})

/**
 * Compares the anchors with the same rows that the chain consists of: another query could return another seal of the same
 * number.
 */
function compareAnchors(
  anchors: readonly AuditAnchor[],
  anchored: readonly SealHash[],
  onDifference: VerifySeals['onDifference'],
): void {
  const bySequence = Map.groupBy(anchored, ({ sequence }) => sequence)
  for (const { sequence, hash } of anchors) {
    const [found, ...others] = bySequence.get(sequence) ?? []
    if (found?.hash === hash && others.length === 0) continue
    onDifference({ kind: found === undefined ? 'anchor missing' : 'anchor differs', sequence })
  }
}
