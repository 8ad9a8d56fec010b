/** An entry of a list that is sorted from newest to oldest. */
interface Dated {
  readonly id: string
  readonly occurredAtUtc: string
}

/** The newest entries of several lists, and the first remaining entry of each list. */
export interface Merged<Entry> {
  readonly items: readonly Entry[]
  /** The next entry of each list, in the order of the lists; undefined for a list without further entries. */
  readonly next: readonly (Entry | undefined)[]
}

/** Merges lists, each newest first, and takes `limit` entries. Keeps the order within each list. */
export function mergeNewest<Entry extends Dated>(
  lists: readonly (readonly Entry[])[],
  limit: number,
): Merged<Entry> {
  const places = lists.map(() => 0)
  const items: Entry[] = []
  const headOf = (list: number) => lists[list]?.[places[list] ?? 0]
  while (items.length < limit) {
    let newest: number | undefined
    for (const list of lists.keys()) {
      const head = headOf(list)
      const best = newest === undefined ? undefined : headOf(newest)
      if (head !== undefined && (best === undefined || isNewer(head, best))) newest = list
    }
    const taken = newest === undefined ? undefined : headOf(newest)
    if (newest === undefined || taken === undefined) break
    items.push(taken)
    places[newest] = (places[newest] ?? 0) + 1
  }
  return { items, next: lists.map((_, list) => headOf(list)) }
}

/** Instants of the wire format sort like text. */
const isNewer = (one: Dated, other: Dated): boolean =>
  one.occurredAtUtc === other.occurredAtUtc ? one.id > other.id : one.occurredAtUtc > other.occurredAtUtc
