import { type Client, type Document, isKitError, type KitError, type Page } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { atom, type ReadableAtom } from 'nanostores'
import type { CatalogItem } from '../../src/trade/catalogs/contract.ts'
import { endpointOf, type ListDefinition } from '../lists.ts'

/** What a list holds: documents, or items of a catalog. */
export type Entry = Document | CatalogItem

/** A list as far as it was read, newest first. */
export type EntriesState =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: KitError }
  | {
      readonly status: 'ready'
      readonly items: readonly Entry[]
      readonly nextCursor: string | null
      /** Reading on: idle, under way, or why it failed. */
      readonly more: 'idle' | 'loading' | KitError
    }

/** The entries of one list, read page by page. */
export interface Entries {
  readonly $state: ReadableAtom<EntriesState>
  /** Reads it from the start. What was read before is shown until then. */
  load(): Promise<void>
  /** Reads the next page; what was read stays when that fails. */
  loadMore(): Promise<void>
}

const pageSize = 30
const largestPage = 100

/** Opens a list for the time of a session. */
export function openEntries(client: Client, session: Session, list: ListDefinition): Entries {
  const $state = atom<EntriesState>({ status: 'loading' })
  const { signal } = session
  signal.addEventListener('abort', () => $state.set({ status: 'loading' }))
  const read = (query: { readonly limit: number; readonly cursor?: string | null }) =>
    client.request<Page<Entry>>({ method: 'GET', path: endpointOf(list), query, signal })

  return {
    $state,
    async load() {
      const before = $state.get()
      const shown = before.status === 'ready' ? before.items.length : 0
      if (before.status === 'failed') $state.set({ status: 'loading' })
      try {
        const page = await read({ limit: Math.min(Math.max(shown, pageSize), largestPage) })
        $state.set({ status: 'ready', ...page, more: 'idle' })
      } catch (error) {
        if (!signal.aborted) $state.set({ status: 'failed', error: refusal(error) })
      }
    },
    async loadMore() {
      const before = $state.get()
      if (before.status !== 'ready' || before.nextCursor === null || before.more === 'loading') return
      const loading = { ...before, more: 'loading' as const }
      $state.set(loading)
      try {
        const page = await read({ limit: pageSize, cursor: before.nextCursor })
        // Read again from the start meanwhile: this page belongs to what was there before.
        if ($state.get() !== loading) return
        $state.set({ ...loading, ...page, items: [...before.items, ...page.items], more: 'idle' })
      } catch (error) {
        if ($state.get() === loading) $state.set({ ...before, more: refusal(error) })
      }
    },
  }
}

function refusal(error: unknown): KitError {
  if (isKitError(error)) return error
  throw error
}
