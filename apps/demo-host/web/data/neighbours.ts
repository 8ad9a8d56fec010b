import type { Entries } from './entries.ts'

/** The entries before and after an entry, in the order of its list. */
export interface Neighbours {
  readonly previous: string | null
  readonly next: string | null
}

/** Returns the neighbours of an entry. If the next one may be on the next page, loads that page. */
export function neighboursOf({ $list, loadMore }: Entries, id: string | null): Neighbours {
  const { items, status, hasMore } = $list.get()
  const index = items.findIndex((item) => item.id === id)
  if (index < 0) return { previous: null, next: null }
  if (index === items.length - 1 && hasMore && status === 'ready') queueMicrotask(() => void loadMore())
  return { previous: items[index - 1]?.id ?? null, next: items[index + 1]?.id ?? null }
}
