import type { Page } from '@vertical-kit/ui-client'
import { outcome, type Session } from '@vertical-kit/ui-client/stores'
import { atom, type ReadableAtom } from 'nanostores'
import { endpointOf, type ListDefinition } from '../lists.ts'
import type { Entry } from './entries.ts'

/** The entries that the service finds for a text. */
export interface Found<T> {
  readonly items: readonly T[]
  /** Whether the text finds more entries than these. */
  readonly hasMore: boolean
}

/** The entries of one list that documents refer to. All views of a session share the entries that are known. */
export interface Lookup<T extends Entry> {
  /** Changes when entries become known. Null is an entry that does not exist, or that the user is not allowed to view. */
  readonly $known: ReadableAtom<ReadonlyMap<string, T | null>>
  /** Returns an entry. If it is not known yet, requests it and returns undefined. */
  find(id: string): T | null | undefined
  /** Requests the current state of these entries. Resolves when it is known, or after a failure. */
  load(ids: readonly string[]): Promise<void>
  /** Requests those of these entries that are not known. Resolves like `load`. */
  learn(ids: readonly string[]): Promise<void>
  /** Searches in the service. Rejects after a failure. */
  search(query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Found<T>>
  /** Replaces a known entry after it was saved. */
  put(entries: readonly T[]): void
}

/** Maximum number of ids, and of entries, that the service accepts or returns in a request. */
const maxIds = 100
/** Number of entries that a search returns. More do not fit on a screen. */
const foundCount = 20

/** The lookup of a list that the user is not allowed to view. */
export const noLookup: Lookup<never> = {
  $known: atom(new Map()),
  find: () => null,
  load: async () => {},
  learn: async () => {},
  search: async () => ({ items: [], hasMore: false }),
  put() {},
}

/** Opens the lookup of a list. It ends with its session. */
export function openLookup<T extends Entry>({ client, signal }: Session, list: ListDefinition): Lookup<T> {
  const $known = atom<ReadonlyMap<string, T | null>>(new Map())
  /** Ids that are requested, so that rendering again does not request them again. */
  const asked = new Set<string>()
  let waiting = new Set<string>()
  const path = endpointOf(list)

  const add = (entries: Iterable<readonly [string, T | null]>) => {
    if (!signal.aborted) $known.set(new Map([...$known.get(), ...entries]))
  }
  const loadSome = async (ids: readonly string[]): Promise<void> => {
    const query = { ids: ids.join(','), limit: maxIds }
    const result = await outcome(signal, client.request<Page<T>>({ method: 'GET', path, query, signal }))
    if (result === null) return
    if ('error' in result) return ids.forEach((id) => void asked.delete(id))
    const found = new Map(result.value.items.map((entry) => [entry.id, entry]))
    add(ids.map((id) => [id, found.get(id) ?? null]))
  }
  const load = async (ids: readonly string[]): Promise<void> => {
    const all = [...new Set(ids)].filter((id) => id !== '')
    for (const id of all) asked.add(id)
    const chunks = Array.from({ length: Math.ceil(all.length / maxIds) }, (_, index) =>
      all.slice(index * maxIds, (index + 1) * maxIds),
    )
    await Promise.all(chunks.map(loadSome))
  }
  const put = (entries: readonly T[]) => {
    for (const { id } of entries) asked.add(id)
    add(entries.map((entry) => [entry.id, entry]))
  }
  return {
    $known,
    load,
    learn: (ids) => load(ids.filter((id) => !$known.get().has(id))),
    put,
    find(id) {
      if (id === '') return null
      if (!asked.has(id)) {
        // Collect the ids of one rendering in one request.
        if (waiting.size === 0) {
          queueMicrotask(() => {
            const ids = [...waiting]
            waiting = new Set()
            void load(ids)
          })
        }
        asked.add(id)
        waiting.add(id)
      }
      return $known.get().get(id)
    },
    async search(query, searchSignal) {
      const { items, nextCursor } = await client.request<Page<T>>({
        method: 'GET',
        path,
        query: { ...query, limit: foundCount },
        signal: AbortSignal.any([signal, searchSignal]),
      })
      put(items)
      return { items, hasMore: nextCursor !== null }
    },
  }
}
