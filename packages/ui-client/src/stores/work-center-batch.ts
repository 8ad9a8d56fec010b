import type { ReadableAtom } from 'nanostores'
import { KitError } from '../client/kit-error.ts'
import type { ReadAll } from '../client/work-center.ts'
import type { Session } from '../session/session.ts'
import type { BatchVerb, WorkCenterItem } from '../wire/work-center.ts'
import { outcome } from './store.ts'
import type { Settle, SettledItem } from './work-center-corrections.ts'

/** The change of several items that is running or was the last one. */
export type WorkCenterBatch =
  | { readonly status: 'pending'; readonly verb: BatchVerb; readonly count: number }
  | {
      readonly status: 'done'
      readonly verb: BatchVerb
      readonly changedCount: number
      /** The rows of these items show the reasons. */
      readonly failedCount: number
      readonly isUndoable: boolean
    }
  | { readonly status: 'failed'; readonly verb: BatchVerb; readonly error: KitError }

/** A change of one or more items that the service has confirmed. */
export interface WorkCenterChange {
  readonly verb: BatchVerb | 'forward'
  /** The changed items as they are now. Null if all items of a list have been marked as read. */
  readonly items: readonly WorkCenterItem[] | null
  readonly changedCount: number
  /** The rows of these items show the reasons. */
  readonly failedCount: number
  /**
   * Undoes the change with the inverse verb, once. Items that had not changed stay as they are. Resolves with the error if the
   * request fails. Null if the change cannot be undone.
   */
  readonly undo: (() => Promise<KitError | null>) | null
}

/** A changed item, as it was before and as it is now. */
interface Changed {
  readonly before: WorkCenterItem
  readonly after: WorkCenterItem
}

interface Outcome {
  readonly items: WorkCenterChange['items']
  readonly changed: readonly Changed[]
  readonly changedCount: number
  readonly failedCount: number
}

const inverseOf: Readonly<Record<BatchVerb, BatchVerb>> = {
  read: 'unread',
  unread: 'read',
  dismiss: 'restore',
  restore: 'dismiss',
  claim: 'release',
  release: 'claim',
  snooze: 'snooze',
}

/** The field that a verb changes. An item in which it is the same has not changed, so it must not be undone. */
const fieldOf = {
  read: 'isRead',
  unread: 'isRead',
  dismiss: 'isDismissed',
  restore: 'isDismissed',
  claim: 'version',
  release: 'version',
  snooze: 'snoozedUntilUtc',
} as const satisfies Record<BatchVerb, keyof WorkCenterItem>

/** Changes of several items. `$batch` is the last change with its result and undo; null if none is shown. */
export interface Batches {
  readonly $batch: ReadableAtom<WorkCenterBatch | null>
  /** Changes up to 100 items with one request. Does nothing while another change of several items is running. */
  change(verb: BatchVerb, items: readonly WorkCenterItem[], untilUtc?: string | null): Promise<void>
  /** Makes the change of a single item the last change. `after` is null if the user has lost the item. */
  record(verb: WorkCenterChange['verb'], before: WorkCenterItem, after: WorkCenterItem | null): void
  /** Undoes the last change. Resolves with false if there is none, or if it is already undone or cannot be undone. */
  undo(): Promise<boolean>
  /** Marks all items of the shown list as read that had arrived when the list was loaded. */
  readAll(): Promise<void>
  close(): void
}

export interface BatchesOptions {
  readonly session: Session
  readonly $batch: ReadableAtom<WorkCenterBatch | null>
  setBatch(batch: WorkCenterBatch | null): void
  readonly signal: AbortSignal
  /** Called for each item of a request: its row shows the error, or is deselected. */
  settled(id: string, verb: BatchVerb, error: KitError | null): void
  /** Called after each change, also after the end of the view. */
  readonly changed: ((change: WorkCenterChange) => void) | undefined
}

/** The changes of several items. The store shows a change before it calls these methods, and calls one at a time. */
export interface BatchChanges extends Pick<Batches, 'record' | 'undo'> {
  change(verb: BatchVerb, items: readonly WorkCenterItem[], untilUtc: string | null): Promise<void>
  readAll(seen: ReadAll): Promise<void>
}

/** Creates the changes of several items. `settle` shows them in the lists. */
export function createBatches(options: BatchesOptions, settle: Settle): BatchChanges {
  const { session, $batch, setBatch: show, signal, settled, changed: report } = options
  const { workCenter } = session.client
  let undoLast: WorkCenterChange['undo'] = null

  /** Sends one request. Resolves with the items that changed and the number of those that failed. */
  const send = async (
    verb: BatchVerb,
    items: readonly WorkCenterItem[],
    untilUtc: string | null,
  ): Promise<Outcome> => {
    const body = {
      verb,
      items: items.map(({ kind, id, version }) => ({ kind, id, expectedVersion: version })),
      ...(verb === 'snooze' ? { snoozedUntilUtc: untilUtc } : {}),
    }
    const { results } = await workCenter.batch(body, { signal: session.signal })
    const changed: Changed[] = []
    const done: WorkCenterItem[] = []
    const current: SettledItem[] = []
    const end = (id: string, error: KitError | null) => {
      if (!signal.aborted) settled(id, verb, error)
    }
    results.forEach((result, index) => {
      const before = items[index] as WorkCenterItem
      if ('problem' in result) {
        if (result.status === 404) current.push([before.id, null])
        else end(before.id, new KitError(result.problem))
        return
      }
      current.push([before.id, result.item])
      end(before.id, null)
      done.push(result.item ?? before)
      if (result.item !== null && result.item[fieldOf[verb]] !== before[fieldOf[verb]]) {
        changed.push({ before, after: result.item })
      }
    })
    settle(current)
    return {
      ...{ items: done, changed, changedCount: done.length },
      failedCount: results.length - done.length,
    }
  }

  /** Runs requests as one change, and then notifies all stores. Resolves with the error if the change fails as a whole. */
  const run = async (
    verb: BatchVerb,
    count: number,
    request: () => Promise<Outcome>,
  ): Promise<KitError | null> => {
    show({ status: 'pending', verb, count })
    const result = await outcome(session.signal, request())
    if (result === null) return null
    session.announce({ kind: 'workCenter' })
    if ('error' in result) {
      show({ status: 'failed', verb, error: result.error })
      return result.error
    }
    const { changedCount, failedCount } = result.value
    show({ status: 'done', verb, changedCount, failedCount, isUndoable: finish(verb, result.value) })
    return null
  }
  /** Makes a change the last one. Returns whether it can be undone. */
  const finish = (verb: WorkCenterChange['verb'], { changed, ...done }: Outcome): boolean => {
    undoLast = verb === 'forward' || changed.length === 0 ? null : undoOf(verb, changed)
    report?.({ verb, ...done, undo: undoLast })
    return undoLast !== null
  }

  const undoOf = (verb: BatchVerb, changed: readonly Changed[]) => {
    // The former ends of snoozes: one request for each.
    const groups = Map.groupBy(changed, ({ before }) => (verb === 'snooze' ? before.snoozedUntilUtc : null))
    const inverse = inverseOf[verb]
    const request = async (): Promise<Outcome> => {
      const sent = await Promise.all(
        [...groups].map(([untilUtc, changes]) =>
          send(
            inverse,
            changes.map(({ after }) => after),
            untilUtc,
          ),
        ),
      )
      const total = (count: (one: Outcome) => number) => sent.reduce((sum, one) => sum + count(one), 0)
      return {
        items: sent.flatMap(({ items }) => items ?? []),
        // The user has returned to the state before, so there is nothing left to undo.
        changed: [],
        changedCount: total((one) => one.changedCount),
        failedCount: total((one) => one.failedCount),
      }
    }
    let isUndone = false
    return async () => {
      if (isUndone) return null
      isUndone = true
      const error = await run(inverse, changed.length, request)
      // The user can try again.
      isUndone = error === null
      return error
    }
  }

  return {
    async change(verb, items, untilUtc) {
      await run(verb, items.length, () => send(verb, items, untilUtc))
    },
    record(verb, before, after) {
      const isSame = verb !== 'forward' && after?.[fieldOf[verb]] === before[fieldOf[verb]]
      if (isSame) return
      const changed = after === null ? [] : [{ before, after }]
      const isUndoable = finish(verb, { items: [after ?? before], changed, changedCount: 1, failedCount: 0 })
      if (verb !== 'forward' && $batch.get()?.status !== 'pending') {
        show({ status: 'done', verb, changedCount: 1, failedCount: 0, isUndoable })
      }
    },
    async undo() {
      const undo = undoLast
      await undo?.()
      return undo !== null
    },
    async readAll(seen) {
      await run('read', 0, async () => {
        const { changedCount } = await workCenter.readAll(seen, { signal: session.signal })
        return { items: null, changed: [], changedCount, failedCount: 0 }
      })
    },
  }
}
