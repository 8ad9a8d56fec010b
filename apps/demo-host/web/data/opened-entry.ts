import type { KitError } from '@vertical-kit/ui-client'
import { openStore, outcome, type Session, type Store } from '@vertical-kit/ui-client/stores'
import { endpointOf, type ListDefinition } from '../lists.ts'
import type { Entry } from './entries.ts'

/** An entry and its version. The version of a catalog item is null, because catalog items have no versions. */
export interface VersionedEntry {
  readonly entry: Entry
  readonly version: number | null
}

/** The state of an open entry. */
export type OpenedEntryState =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: KitError }
  /** `error`: the entry has changed since, or may have changed, and could not be loaded again. */
  | ({ readonly status: 'ready'; readonly error: KitError | null } & VersionedEntry)

export interface OpenedEntry extends Store<OpenedEntryState> {
  load(): Promise<void>
  /** Loads the current entry without showing it. Rejects on failure. */
  read(): Promise<VersionedEntry>
  /** Shows an entry that the caller has received, for example from a form or an action. */
  show(current: VersionedEntry): void
}

/** Opens an entry, and reloads it when another part of the session changes it. */
export function openEntry(session: Session, list: ListDefinition, id: string): OpenedEntry {
  const { $state, signal, set, dispose } = openStore<OpenedEntryState>(session, { status: 'loading' })
  const path = `${endpointOf(list)}/${encodeURIComponent(id)}`
  let reading = 0
  const read = async (): Promise<VersionedEntry> => {
    if (list.resource === 'document') {
      const state = await session.client.documents.editorState({ typeCode: list.typeCode, id }, { signal })
      return { entry: state.document, version: state.documentVersion }
    }
    return { entry: await session.client.request<Entry>({ method: 'GET', path, signal }), version: null }
  }
  const load = async () => {
    reading += 1
    const mine = reading
    if ($state.get().status === 'failed') set({ status: 'loading' })
    const result = await outcome(signal, read())
    if (result === null || mine !== reading) return
    if ('value' in result) return set({ status: 'ready', error: null, ...result.value })
    const { error } = result
    const state = $state.get()
    // After a temporary failure, the entry stays visible. An entry that no longer exists is removed.
    set(state.status !== 'ready' || error.status === 404 ? { status: 'failed', error } : { ...state, error })
  }
  session.listen((change) => {
    if (change.kind === 'document' && change.id === id) void load()
  }, signal)
  const onOnline = () => {
    const state = $state.get()
    if (state.status !== 'loading' && state.error !== null) void load()
  }
  addEventListener('online', onOnline, { signal })
  return {
    $state,
    load,
    read,
    show(current) {
      reading += 1
      set({ status: 'ready', error: null, ...current })
    },
    dispose,
  }
}
