import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Recipient } from '../client/team.ts'
import type { Session } from '../session/session.ts'
import type { BatchVerb, Preference, Tab, WorkCenterItem, WorkCenterSummary } from '../wire/work-center.ts'
import { coalesced } from './coalesced.ts'
import type { ListState } from './paged-list.ts'
import { type RealtimeStatus, realtimeStore } from './realtime.ts'
import { stateMap } from './state-map.ts'
import { openState, openStore, outcome } from './store.ts'
import type { RecipientsOutcome } from './team-tasks.ts'
import type { Batches, WorkCenterBatch, WorkCenterChange } from './work-center-batch.ts'
import { createChanges } from './work-center-changes.ts'
import { createWorkCenterLists, type WorkCenterView } from './work-center-lists.ts'

/** The counts of the Work Center. A failure keeps the loaded counts. */
export type WorkCenterSummaryState =
  | { readonly status: 'idle' | 'loading'; readonly summary: null }
  | { readonly status: 'ready'; readonly summary: WorkCenterSummary }
  | { readonly status: 'failed'; readonly summary: WorkCenterSummary | null; readonly error: KitError }

/** The changes that a user can make to an item. */
export type WorkCenterVerb = BatchVerb | 'forward'

/** The state of a row with a pending or failed change. */
export type WorkCenterRow =
  | { readonly status: 'pending'; readonly verb: WorkCenterVerb }
  | { readonly status: 'failed'; readonly verb: WorkCenterVerb; readonly error: KitError }

/**
 * The reason why a change was refused: another user has claimed the task (`claimed`), the item has changed since it was
 * shown (`changed`), or the item is no longer in the user's Work Center (`gone`).
 */
export interface WorkCenterNotice {
  readonly reason: 'claimed' | 'changed' | 'gone'
  readonly item: WorkCenterItem
}

/** Maximum number of items that the service changes with one request. */
export const maxBatch = 100

const isUnreachable = (row: WorkCenterRow): boolean =>
  row.status === 'failed' && row.error.code === 'client.unreachable'

/** A user's Work Center: the counts, the rows of the shown tab, and the methods that change items. */
export interface WorkCenterStore {
  readonly $summary: ReadableAtom<WorkCenterSummaryState>
  readonly $lists: Readonly<Record<Tab, ReadableAtom<ListState<WorkCenterItem>>>>
  /** The rows with pending or failed changes. The key is the item's id. */
  readonly $rows: ReadableAtom<ReadonlyMap<string, WorkCenterRow>>
  readonly $notice: ReadableAtom<WorkCenterNotice | null>
  /** The state of the connection that reports changes immediately. */
  readonly $realtime: ReadableAtom<RealtimeStatus>
  /** Loads the counts and the shown tab. After the first call, both are updated automatically. */
  load(): Promise<void>
  /** Shows a tab and keeps it current. The previously shown tab is no longer updated. */
  open(tab: Tab, view?: WorkCenterView): Promise<void>
  /** Loads the next page of the shown tab. */
  loadMore(): Promise<void>
  read(item: WorkCenterItem): Promise<void>
  /** Marks an item as read because the user has opened it. This is not a change that the user could undo. */
  visit(item: WorkCenterItem): Promise<void>
  dismiss(item: WorkCenterItem): Promise<void>
  /** Claims a task of a role. If another user claims the task first, the row is removed and a notice is shown. */
  claim(item: WorkCenterItem): Promise<void>
  /** Gives a claimed task back to its role. */
  release(item: WorkCenterItem): Promise<void>
  /** Snoozes a task until an instant (ISO 8601, UTC). Null ends the snooze. */
  snooze(item: WorkCenterItem, untilUtc: string | null): Promise<void>
  /** The changes of several items, and the undoing of the last change. */
  readonly batches: Batches
  /** The ids of the selected rows of the shown tab, at most 100. */
  readonly $selected: ReadableAtom<ReadonlySet<string>>
  /** Selects rows. Rows that are no longer shown are deselected. */
  select(ids: readonly string[]): void
  deselect(ids: readonly string[]): void
  /** Loads the kinds of items that the user can receive, for a filter. Resolves with none if they cannot be loaded. */
  definitions(): Promise<readonly Preference[]>
  /** Gives a task to another user or role, with a comment. The row is removed if the user no longer has the task. */
  forward(
    item: WorkCenterItem,
    choice: { readonly to: Recipient; readonly comment: string | null },
  ): Promise<void>
  /**
   * Resolves with the users and roles that can receive a task. The row is pending until then, shows an error, and while it is
   * already pending, the result is null. With `q`, finds users by a part of their names, and the row does not change.
   */
  recipients(item: WorkCenterItem, q?: string): Promise<RecipientsOutcome>
  closeNotice(): void
  dispose(): void
}

/** The scope of the store. Without `vertical`, it shows the items of all verticals. */
export interface WorkCenterOptions {
  /** Limits lists and counts to items about objects of this vertical, with type codes that begin with `<vertical>.`. */
  readonly vertical?: string | undefined
  /** Called after each change that the user has made with this store, also after `dispose`. */
  readonly changed?: (change: WorkCenterChange) => void
}

/**
 * Opens the store of a user's Work Center and keeps it current. A message from the hub only triggers a refresh. Only one
 * refresh runs at a time. It loads the counts before the rows, so the rows are never older than the counts.
 */
export function workCenterStore(
  session: Session,
  { vertical, changed }: WorkCenterOptions = {},
): WorkCenterStore {
  const { client } = session
  const initial: WorkCenterSummaryState = { status: 'idle', summary: null }
  const { $state: $summary, signal, set, dispose } = openStore<WorkCenterSummaryState>(session, initial)
  const realtime = realtimeStore(session)
  const lists = createWorkCenterLists(session, vertical, signal)
  const { $states: $rows, set: setRow } = stateMap<WorkCenterRow>(signal)
  const { $state: $notice, set: setNotice } = openState<WorkCenterNotice | null>(signal, null)
  const { $state: $batch, set: setBatch } = openState<WorkCenterBatch | null>(signal, null)
  const { $state: $selected, update: updateSelected } = openState<ReadonlySet<string>>(signal, new Set())

  /** The version that the hub has sent last, and the version of the shown data. */
  let newestVersion = -1
  let shownVersion = -1
  let isForced = false
  /** Whether the user has asked for the next refresh. Then, an error disappears before the answer. */
  let isAsked = false
  let isFollowing = false

  const isWanted = () => isForced || newestVersion > shownVersion

  const loadSummary = async (): Promise<void> => {
    const { summary } = $summary.get()
    const before = $rows.get()
    if (summary === null) set({ status: 'loading', summary })
    const result = await outcome(signal, client.workCenter.summary({ vertical, signal }))
    if (result === null) return
    if ('error' in result) {
      isForced = true
      return set({ status: 'failed', summary, error: result.error })
    }
    // The version can be lower than before if the database has lost commits. Then, the hub ends its connections.
    shownVersion = result.value.version
    // The connection is back, so earlier messages about a lost connection are outdated.
    for (const [id, row] of $rows.get()) if (isUnreachable(row) && before.get(id) === row) setRow(id, null)
    set({ status: 'ready', summary: result.value })
  }
  const loadList = async (how: 'load' | 'refresh'): Promise<void> => {
    // The next poll tries again.
    if (await lists.load(how)) isForced = true
    deselectHidden()
  }
  const refreshOnce = coalesced(async () => {
    if (signal.aborted || !isWanted()) return
    const how = isAsked ? 'load' : 'refresh'
    isForced = false
    isAsked = false
    await loadSummary()
    await loadList(how)
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
      newestVersion = version
      if (isWanted()) void refreshOnce()
    }, signal)
    session.listen((change) => {
      if (change.kind === 'workCenter') void refresh()
    }, signal)
  }

  const deselectHidden = () => {
    const shown = new Set(lists.items().map(({ id }) => id))
    updateSelected((selected) => new Set([...selected].filter((id) => shown.has(id))))
  }
  const select = (ids: readonly string[]) =>
    updateSelected((selected) => new Set([...selected, ...ids].slice(0, maxBatch)))
  const deselect = (ids: readonly string[]) =>
    updateSelected((selected) => new Set([...selected].filter((id) => !ids.includes(id))))
  const isBusy = ({ id }: WorkCenterItem) => signal.aborted || $rows.get().get(id)?.status === 'pending'
  const { act, recipients, batches } = createChanges({
    ...{ session, $batch, setBatch, lists, signal, changed, isBusy, setRow, setNotice, refresh },
    settled: (id, verb, error) => {
      setRow(id, error === null ? null : { status: 'failed', verb, error })
      if (error === null) deselect([id])
    },
  })
  const load = (): Promise<void> => {
    follow()
    isAsked = true
    return refresh()
  }
  return {
    $summary,
    $lists: lists.$lists,
    $rows,
    $notice,
    $realtime: realtime.$status,
    load,
    async open(tab, view = {}) {
      lists.show(tab, view)
      updateSelected(() => new Set())
      if (!isFollowing) return load()
      await loadList('load')
    },
    loadMore: lists.loadMore,
    read: (item) => act(item, { verb: 'read' }),
    visit: (item) => act(item, { verb: 'visit' }),
    dismiss: (item) => act(item, { verb: 'dismiss' }),
    claim: (item) => act(item, { verb: 'claim' }),
    release: (item) => act(item, { verb: 'release' }),
    snooze: (item, untilUtc) => act(item, { verb: 'snooze', untilUtc }),
    batches,
    $selected,
    select,
    deselect,
    async definitions() {
      const result = await outcome(signal, client.me.preferences({ signal }))
      return result !== null && 'value' in result ? result.value : []
    },
    forward: (item, choice) => act(item, { verb: 'forward', ...choice }),
    recipients,
    closeNotice: () => setNotice(null),
    dispose,
  }
}
