import type { BusinessObjectReference, NavigationTarget } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { ActingAs, BusinessObjects } from '@vertical-kit/core-audit/objects'
import type { Note, NoteLink } from './contract.ts'
import { linksOf } from './policy.ts'

/** The business object that a text names. */
export interface LinkedObject {
  readonly reference: BusinessObjectReference
  /** The place in the front end that shows the object. */
  readonly target: NavigationTarget
}

/** Finds business objects that notes name, for example by their numbers. A vertical registers its linkers. */
export interface NoteLinker {
  /** A global pattern of the texts. It must not need exponential time. */
  readonly pattern: RegExp
  /** Returns the objects of these texts, in one statement. Do not check rights: readers see only links that they may follow. */
  resolve(db: Db, texts: readonly string[]): Promise<ReadonlyMap<string, LinkedObject>>
}

/** Runs reads on a connection, only if they are needed. */
export type Reading = <T>(work: (db: Db) => Promise<T>) => Promise<T>

/** Adds the links to notes that a caller reads. */
export type LinkNotes = (read: Reading, as: ActingAs, notes: readonly Note[]) => Promise<readonly Note[]>

/** A text in a note that a linker recognises. */
interface Candidate {
  readonly note: Note
  readonly linker: NoteLinker
  readonly start: number
  readonly text: string
}

/** Maximum number of recognised texts per response. Later ones stay plain text. */
const maxCandidates = 500

/**
 * Creates the function that adds links to notes: web addresses, and the objects of linkers that the caller may read. Notes
 * without a recognised text need no statement. Otherwise each linker needs one, and the rights are checked once for each object:
 * with one statement for each type that has `areReadable`.
 *
 * @throws {TypeError} for a pattern that is not global: it would fail for the first note with a recognised text
 */
export function createLinkNotes(
  linkers: readonly NoteLinker[],
  businessObjects: Pick<BusinessObjects, 'areReadable'>,
): LinkNotes {
  for (const { pattern } of linkers) {
    if (!pattern.global) throw new TypeError(`linkers: the pattern ${pattern} needs the flag g`)
  }
  const candidatesIn = (note: Note): readonly Candidate[] =>
    linkers.flatMap((linker) =>
      // `search` is faster than `matchAll`, and most notes contain nothing.
      note.text.search(linker.pattern) < 0
        ? []
        : [...note.text.matchAll(linker.pattern)].map(({ 0: text, index: start }) => ({
            ...{ note, linker, start, text },
          })),
    )
  return async (read, as, notes) => {
    const candidates: Candidate[] = []
    for (const note of notes) {
      if (candidates.length >= maxCandidates) break
      candidates.push(...candidatesIn(note).slice(0, maxCandidates - candidates.length))
    }
    if (candidates.length === 0) return notes
    const objects = await read((db) => resolve(db, { as, candidates, businessObjects }))
    const found = Map.groupBy(objects, ([{ note }]) => note)
    return notes.map((note) => {
      const named = (found.get(note) ?? []).map(([{ start, text }, { target }]) => ({
        ...{ start, length: text.length, target },
      }))
      return { ...note, ...linksOf(withoutOverlaps([...(note.links ?? []), ...named])) }
    })
  }
}

interface Resolve {
  readonly as: ActingAs
  readonly candidates: readonly Candidate[]
  readonly businessObjects: Pick<BusinessObjects, 'areReadable'>
}

async function resolve(
  db: Db,
  { as, candidates, businessObjects }: Resolve,
): Promise<ReadonlyMap<Candidate, LinkedObject>> {
  const named: (readonly [Candidate, LinkedObject])[] = []
  for (const [linker, ofLinker] of Map.groupBy(candidates, (candidate) => candidate.linker)) {
    const objects = await linker.resolve(db, [...new Set(ofLinker.map(({ text }) => text))])
    for (const candidate of ofLinker) {
      const object = objects.get(candidate.text)
      if (object !== undefined) named.push([candidate, object])
    }
  }
  if (as === 'system') return new Map(named)
  const attempts = new Map(named.map(([, { reference }]) => [keyOf(reference), { caller: as, reference }]))
  const answers = await businessObjects.areReadable(db, [...attempts.values()])
  const readable = new Set([...attempts.keys()].filter((_key, index) => answers[index]))
  return new Map(named.filter(([, { reference }]) => readable.has(keyOf(reference))))
}

const keyOf = ({ kind, typeCode, id }: BusinessObjectReference): string => `${kind}/${typeCode}/${id}`

/** Sorts links by their start. If links overlap, keeps the one that begins first. */
function withoutOverlaps(links: readonly NoteLink[]): NoteLink[] {
  const kept: NoteLink[] = []
  for (const link of links.toSorted((one, other) => one.start - other.start)) {
    const last = kept.at(-1)
    if (last === undefined || last.start + last.length <= link.start) kept.push(link)
  }
  return kept
}
