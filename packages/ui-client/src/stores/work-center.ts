import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { Tab, WorkCenterItem, WorkCenterSummary } from '../wire/work-center.ts'
import { coalesced } from './coalesced.ts'
import type { ListState } from './paged-list.ts'
import { type RealtimeStatus, realtimeStore } from './realtime.ts'
import { openStore, outcome } from './store.ts'
import { createWorkCenterLists, type WorkCenterFilters } from './work-center-lists.ts'

/** The counts. A failure keeps those that were there. */
export type WorkCenterSummaryState =
  | { readonly status: 'idle' | 'loading'; readonly summary: null }
  | { readonly status: 'ready'; readonly summary: WorkCenterSummary }
  | { readonly status: 'failed'; readonly summary: WorkCenterSummary | null; readonly error: KitError }

/** What a user does to an item. */
export type WorkCenterVerb = 'read' | 'dismiss' | 'claim' | 'snooze'

/** A row something is being done to, or could not be. */
export type WorkCenterRow =
  | { readonly status: 'pending'; readonly verb: WorkCenterVerb }
  | { readonly status: 'failed'; readonly verb: WorkCenterVerb; readonly error: KitError }

/**
 * Why nothing came of a verb: somebody else was faster (`taken`), the task is another than was shown (`changed`), or it is
 * no longer in the user's Work Center (`gone`).
 */
export interface WorkCenterNotice {
  readonly reason: 'claimed' | 'changed' | 'gone'
  readonly item: WorkCenterItem
}

/** A user's Work Center: counts, the rows of the tab that is shown, and what can be done to them. */
export interface WorkCenterStore {
  readonly $summary: ReadableAtom<WorkCenterSummaryState>
  readonly $lists: Readonly<Record<Tab, ReadableAtom<ListState<WorkCenterItem>>>>
  /** By item. */
  readonly $rows: ReadableAtom<ReadonlyMap<string, WorkCenterRow>>
  readonly $notice: ReadableAtom<WorkCenterNotice | null>
  /** Whether changes are heard of at once. */
  readonly $realtime: ReadableAtom<RealtimeStatus>
  /** Asks for the counts, and for what is shown. From the first time on they follow what happens by themselves. */
  load(): Promise<void>
  /** Shows a tab, and keeps it current from now on instead of the one before. */
  open(tab: Tab, filters?: WorkCenterFilters): Promise<void>
  /** Loads the next page of the tab that is shown. */
  loadMore(): Promise<void>
  read(item: WorkCenterItem): Promise<void>
  dismiss(item: WorkCenterItem): Promise<void>
  /** Takes a role's task, as it is shown. Of several users one succeeds; the others' row leaves, with a notice. */
  claim(item: WorkCenterItem): Promise<void>
  /** Keeps a task out of the way until an instant (ISO 8601, UTC); null shows it now. */
  snooze(item: WorkCenterItem, untilUtc: string | null): Promise<void>
  closeNotice(): void
  dispose(): void
}

export interface WorkCenterOptions {
  /** Keeps what is about `<vertical>.…`, in lists and counts. */
  readonly vertical?: string | undefined
}

/**
 * A user's Work Center, kept current. What was heard only tells that there is something to ask for; one refresh is under way
 * at a time, the counts first and the rows after them, so that rows are never older than the counts' version.
 */
export function workCenterStore(session: Session, { vertical }: WorkCenterOptions = {}): WorkCenterStore {
  const { client } = session
  const initial: WorkCenterSummaryState = { status: 'idle', summary: null }
  const { $state: $summary, signal, set, dispose } = openStore<WorkCenterSummaryState>(session, initial)
  const realtime = realtimeStore(session)
  const lists = createWorkCenterLists(session, vertical, signal)
  const $rows = atom<ReadonlyMap<string, WorkCenterRow>>(new Map())
  const $notice = atom<WorkCenterNotice | null>(null)
  signal.addEventListener(
    'abort',
    () => {
      $rows.set(new Map())
      $notice.set(null)
    },
    { once: true },
  )

  /** The highest version heard of, and the one that what is shown is of. */
  let heardVersion = -1
  let shownVersion = -1
  let isForced = false
  let isFollowing = false

  const isWanted = () => isForced || heardVersion > shownVersion

  const loadSummary = async (): Promise<void> => {
    const { summary } = $summary.get()
    if (summary === null) set({ status: 'loading', summary })
    const result = await outcome(signal, client.workCenter.summary({ vertical, signal }))
    if (result === null) return
    if ('error' in result) {
      isForced = true
      return set({ status: 'failed', summary, error: result.error })
    }
    // A replica that lags behind has nothing new to say.
    const isOlder = summary !== null && result.value.version < summary.version
    const newest = isOlder ? summary : result.value
    shownVersion = newest.version
    set({ status: 'ready', summary: newest })
  }
  const refreshOnce = coalesced(async () => {
    if (signal.aborted || !isWanted()) return
    isForced = false
    await loadSummary()
    await lists.load()
  })
  const refresh = (): Promise<void> => {
    isForced = true
    return refreshOnce()
  }
  const follow = () => {
    if (isFollowing) return
    isFollowing = true
    realtime.listen((version) => {
      if (version === null) return void refresh()
      heardVersion = Math.max(heardVersion, version)
      if (isWanted()) void refreshOnce()
    }, signal)
    session.listen((change) => {
      if (change.kind === 'workCenter') void refresh()
    }, signal)
  }

  const setRow = (id: string, row: WorkCenterRow | null) => {
    const rows = new Map($rows.get())
    if (row === null) rows.delete(id)
    else rows.set(id, row)
    $rows.set(rows)
  }
  const lost = async (item: WorkCenterItem, to: 'claimed' | 'gone'): Promise<void> => {
    setRow(item.id, null)
    lists.settle(item.id, null)
    await refresh()
    if (signal.aborted) return
    const reason = lists.isShown(item.id) ? 'changed' : to
    $notice.set({ reason, item })
  }
  const act = async (
    verb: WorkCenterVerb,
    item: WorkCenterItem,
    request: () => Promise<WorkCenterItem>,
  ): Promise<void> => {
    if (signal.aborted || $rows.get().get(item.id)?.status === 'pending') return
    setRow(item.id, { status: 'pending', verb })
    const result = await outcome(session.signal, request())
    // What was changed is the others' to know also when this store has ended meanwhile.
    if (result !== null && 'value' in result && signal.aborted) session.announce({ kind: 'workCenter' })
    if (result === null || signal.aborted) return
    if ('value' in result) {
      setRow(item.id, null)
      lists.settle(item.id, result.value)
      return session.announce({ kind: 'workCenter' })
    }
    const { code } = result.error
    if (code === 'work_center.task_claim_conflict') return lost(item, 'claimed')
    if (code === 'work_center.item_not_found') return lost(item, 'gone')
    setRow(item.id, { status: 'failed', verb, error: result.error })
  }

  const load = (): Promise<void> => {
    follow()
    return refresh()
  }
  // What the user has asked for is done also when the element they did it at has gone: they went on to another page.
  const options = { signal: session.signal }
  return {
    $summary,
    $lists: lists.$lists,
    $rows,
    $notice,
    $realtime: realtime.$status,
    load,
    async open(tab, filters = {}) {
      lists.show(tab, filters)
      if (!isFollowing) return load()
      await lists.load()
    },
    loadMore: lists.loadMore,
    read: (item) =>
      act('read', item, () =>
        item.kind === 'Task'
          ? client.workCenter.readTask(item.id, options)
          : client.workCenter.readNotification(item.id, options),
      ),
    dismiss: (item) => act('dismiss', item, () => client.workCenter.dismissNotification(item.id, options)),
    claim: (item) => act('claim', item, () => client.workCenter.claimTask(item.id, item.version, options)),
    snooze: (item, untilUtc) =>
      act('snooze', item, () => client.workCenter.snoozeTask(item.id, untilUtc, options)),
    closeNotice: () => $notice.set(null),
    dispose,
  }
}
