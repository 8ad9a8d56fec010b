import type { DocumentReference } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { WorkCenterItem } from '../wire/work-center.ts'
import { coalesced } from './coalesced.ts'
import { realtimeStore } from './realtime.ts'
import { openStore, outcome, type Store } from './store.ts'

/** The user's open tasks about one document. A failed load shows no tasks, because they are only a help. */
export interface DocumentTasksState {
  readonly status: 'loading' | 'ready' | 'failed'
  readonly tasks: readonly WorkCenterItem[]
  readonly error?: KitError
}

/** The open tasks of the user about a document; at most 100 open tasks of the user are searched. */
export interface DocumentTasksStore extends Store<DocumentTasksState> {
  load(): Promise<void>
}

/** Maximum number of open tasks that are searched for the document. The service returns no more per page. */
const limit = 100

/** Opens the store of the user's open tasks about a document. It reloads when the Work Center may have changed. */
export function documentTasksStore(session: Session, document: DocumentReference): DocumentTasksStore {
  const { $state, signal, set, dispose } = openStore<DocumentTasksState>(session, {
    status: 'loading',
    tasks: [],
  })
  const load = coalesced(async () => {
    const call = session.client.workCenter.items({ tab: 'tasks', limit, signal })
    const result = await outcome(signal, call)
    if (result === null) return
    // The loaded tasks stay: the user may be working on one of them.
    if ('error' in result) return set({ status: 'failed', tasks: $state.get().tasks, error: result.error })
    const tasks = result.value.items.filter(
      ({ source }) => source.resourceCode === document.typeCode && source.entityId === document.id,
    )
    set({ status: 'ready', tasks })
  })
  session.listen((change) => {
    if (change.kind === 'workCenter') void load()
  }, signal)
  // An event handler creates the task after the action, so the answer of the action is too early.
  let newestVersion = 0
  realtimeStore(session).listen((version) => {
    const isKnown = version !== null && version <= newestVersion
    if (isKnown && $state.get().status !== 'failed') return
    newestVersion = version ?? newestVersion
    void load()
  }, signal)
  return { $state, dispose, load }
}
