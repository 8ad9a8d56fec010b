import type { Database } from '../../../database/database.ts'
import { firstId, idAfter } from '../event-ids.ts'
import type { AuditDifference } from './difference.ts'
import { readSeals, type StoredSeal } from './queries.ts'

/** A seal, compared with the seal before it. */
export interface ChainLink {
  readonly seal: StoredSeal
  /** The smallest id that the seal covers. Its last id is `seal.lastEventId`. */
  readonly fromId: string
  /** The difference of the seal itself; `null` if it continues the chain. */
  readonly problem: AuditDifference | null
}

/** Maximum number of seals in one page. Together, their marks have up to 10 MB. */
const pageSize = 200

/** Returns the seals from `fromSequence` on, in pages. Trusts the stored hash of the seal before. */
export async function* readChain(
  database: Database,
  fromSequence: number,
): AsyncGenerator<readonly ChainLink[]> {
  let previous = await findPrevious(database, fromSequence)
  let next = fromSequence
  for (;;) {
    const page = { fromSequence: next, previousHash: previous?.seal.hash ?? '', limit: pageSize }
    const seals = await database.read((db) => readSeals(db, page))
    const links: ChainLink[] = []
    for (const seal of seals) {
      const link = linkTo(previous, { seal, expectedSequence: next })
      links.push(link)
      previous = link
      next = seal.sequence + 1
    }
    if (links.length > 0) yield links
    if (links.length < pageSize) return
  }
}

async function findPrevious(database: Database, fromSequence: number): Promise<ChainLink | undefined> {
  const page = { fromSequence: fromSequence - 1, previousHash: '', limit: 1 }
  const [seal] = fromSequence === 1 ? [] : await database.read((db) => readSeals(db, page))
  return seal?.sequence === fromSequence - 1 ? { seal, fromId: firstId, problem: null } : undefined
}

function linkTo(
  previous: ChainLink | undefined,
  { seal, expectedSequence }: { readonly seal: StoredSeal; readonly expectedSequence: number },
): ChainLink {
  const { sequence, firstEventId } = seal
  if (sequence < expectedSequence) {
    return { seal, fromId: firstEventId, problem: { kind: 'seal repeated', sequence } }
  }
  // The hash of the missing seal is unknown, so the hash of this one cannot be checked.
  if (sequence > expectedSequence) {
    return { seal, fromId: firstEventId, problem: { kind: 'seal missing', sequence: expectedSequence } }
  }
  if (seal.hash !== seal.expectedHash) {
    return { seal, fromId: firstEventId, problem: { kind: 'seal changed', sequence } }
  }
  if (sequence === 1) return { seal, fromId: firstId, problem: null }
  const isKnown = previous !== undefined && hasOwnEvents(previous)
  return { seal, fromId: isKnown ? idAfter(previous.seal.lastEventId) : firstEventId, problem: null }
}

/** Returns whether it is known which events a seal covers: not for a changed seal, or for the second one of its number. */
export const hasOwnEvents = ({ problem }: ChainLink): boolean =>
  problem?.kind !== 'seal changed' && problem?.kind !== 'seal repeated'
