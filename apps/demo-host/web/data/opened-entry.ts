import { type Client, isKitError, type KitError } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { atom, type ReadableAtom } from 'nanostores'
import { endpointOf, type ListDefinition } from '../lists.ts'
import type { Entry } from './entries.ts'

/** An entry as it was read or answered. Its version is null for an item of a catalog, which has none. */
export interface VersionedEntry {
  readonly entry: Entry
  readonly version: number | null
}

/** One entry, while it is looked at. */
export type OpenedEntryState =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: KitError }
  | ({ readonly status: 'ready' } & VersionedEntry)

export interface OpenedEntry {
  readonly $state: ReadableAtom<OpenedEntryState>
  load(): Promise<void>
  /** Reads it as it is now, without showing it. Rejects if that fails. */
  read(): Promise<VersionedEntry>
  /** Shows what somebody else was answered: a form, an action. */
  show(current: VersionedEntry): void
  dispose(): void
}

/** Reads an entry, and follows what the session does to it. */
export function openEntry(client: Client, session: Session, list: ListDefinition, id: string): OpenedEntry {
  const ending = new AbortController()
  const signal = AbortSignal.any([session.signal, ending.signal])
  const $state = atom<OpenedEntryState>({ status: 'loading' })
  let reading = 0
  const read = async (): Promise<VersionedEntry> => {
    if (list.resource === 'document') {
      const state = await client.documents.editorState({ documentType: list.typeCode, id }, { signal })
      return { entry: state.document, version: state.documentVersion }
    }
    const path = `${endpointOf(list)}/${encodeURIComponent(id)}`
    return { entry: await client.request<Entry>({ method: 'GET', path, signal }), version: null }
  }
  const load = async () => {
    reading += 1
    const mine = reading
    try {
      const current = await read()
      if (mine === reading) $state.set({ status: 'ready', ...current })
    } catch (error) {
      if (signal.aborted || mine !== reading) return
      if (!isKitError(error)) throw error
      // What is gone is gone; of a failure that passes, what was shown stays.
      if ($state.get().status !== 'ready' || error.status === 404) $state.set({ status: 'failed', error })
    }
  }
  session.listen((change) => {
    if (change.kind === 'document' && change.id === id) void load()
  }, signal)
  return {
    $state,
    load,
    read,
    show(current) {
      reading += 1
      $state.set({ status: 'ready', ...current })
    },
    dispose: () => ending.abort(),
  }
}
