import type { Database } from '../../../database/database.ts'
import { type AuditDifference, findDifference } from './difference.ts'
import { type EventRange, type FoundEvents, hashEvents, markEvents, readMarks } from './queries.ts'
import type { ChainLink } from './read-chain.ts'

/** Maximum number of events in one statement, unless a single seal has more. It takes about 0.1 s. */
const groupEventCount = 8_192

/** More than a worker puts into a seal. Limits the work for a forged seal. */
const maxSealEventCount = 65_536

/** The comparison of a seal with its events. */
export interface ComparedSeal {
  /** The number of its events that exist, at most the number of sealed ones. */
  readonly foundCount: number
  /** The first difference, if any. */
  readonly difference: AuditDifference | null
}

/** Compares each seal with its events. Returns the results by the number of the seal. */
export async function compareEvents(
  database: Database,
  links: readonly ChainLink[],
): Promise<ReadonlyMap<number, ComparedSeal>> {
  const compared = new Map<number, ComparedSeal>()
  for (const group of groupsOf(links)) {
    const found = await database.read((db) => hashEvents(db, group.map(rangeOf)))
    for (const [index, link] of group.entries()) {
      const { sequence, eventCount } = link.seal
      const foundCount = Math.min(found[index]?.eventCount ?? 0, eventCount)
      const difference = isEqual(link, found[index]) ? null : await explain(database, link)
      compared.set(sequence, { foundCount, difference })
    }
  }
  return compared
}

const isEqual = ({ seal }: ChainLink, found: FoundEvents | undefined): boolean =>
  found?.eventCount === seal.eventCount && found.eventsHash === seal.eventsHash

/** Reads one event more than the seal has, which is enough to find an inserted event. */
const rangeOf = ({ seal, fromId }: ChainLink): EventRange => ({
  fromId,
  toId: seal.lastEventId,
  limit: Math.min(seal.eventCount, maxSealEventCount) + 1,
})

/** Groups consecutive seals, so that small seals do not need one statement each. */
function groupsOf(links: readonly ChainLink[]): readonly (readonly ChainLink[])[] {
  const groups: ChainLink[][] = []
  let eventCount = groupEventCount
  for (const link of links) {
    eventCount += link.seal.eventCount
    if (eventCount > groupEventCount) {
      groups.push([])
      eventCount = link.seal.eventCount
    }
    groups.at(-1)?.push(link)
  }
  return groups
}

async function explain(database: Database, link: ChainLink): Promise<AuditDifference> {
  const { sequence } = link.seal
  const marks = await database.read((db) => readMarks(db, sequence))
  const events = await database.read((db) => markEvents(db, rangeOf(link)))
  return findDifference({ sequence, marks, events })
}
