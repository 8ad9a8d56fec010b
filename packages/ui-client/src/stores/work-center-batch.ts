import { atom, type ReadableAtom } from 'nanostores'
import { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { BatchVerb, WorkCenterItem } from '../wire/work-center.ts'
import { outcome } from './store.ts'
import type { WorkCenterLists } from './work-center-lists.ts'

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

/** Maximum number of items that the service changes with one request. */
export const maxBatch = 100

/** A changed item, as it was before and as it is now. */
interface Changed {
  readonly before: WorkCenterItem
  readonly after: WorkCenterItem
}

interface Outcome {
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

export interface Batches {
  readonly $batch: ReadableAtom<WorkCenterBatch | null>
  /** Changes up to 100 items with one request. Does nothing while another change of several items is running. */
  change(verb: BatchVerb, items: readonly WorkCenterItem[], untilUtc?: string | null): Promise<void>
  /** Makes the change of a single item the last change, so that it can be undone. */
  record(verb: BatchVerb, before: WorkCenterItem, after: WorkCenterItem): void
  /** Undoes the last change, with the inverse verb. Items that had not changed stay as they are. */
  undo(): Promise<void>
  /** Marks all items of the shown list as read that had arrived when the list was loaded. */
  readAll(): Promise<void>
  close(): void
}

export interface BatchesOptions {
  readonly session: Session
  readonly lists: WorkCenterLists
  readonly signal: AbortSignal
  /** Called for each item of a request: its row shows the error, or is deselected. */
  settled(id: string, verb: BatchVerb, error: KitError | null): void
}

/** Creates the changes of several items. */
export function createBatches({ session, lists, signal, settled }: BatchesOptions): Batches {
  const { workCenter } = session.client
  const options = { signal: session.signal }
  const $batch = atom<WorkCenterBatch | null>(null)
  /** The changes of the last request, by the end of the snooze that undoes them. */
  let undoable: ReadonlyMap<string | null, readonly Changed[]> = new Map()
  signal.addEventListener('abort', () => $batch.set(null), { once: true })

  const isPending = () => signal.aborted || $batch.get()?.status === 'pending'

  /** Sends one request. Resolves with the items that changed and the number of those that failed. */
  const send = async (verb: BatchVerb, items: readonly WorkCenterItem[], untilUtc: string | null) => {
    const body = {
      verb,
      items: items.map(({ kind, id, version }) => ({ kind, id, expectedVersion: version })),
      ...(verb === 'snooze' ? { snoozedUntilUtc: untilUtc } : {}),
    }
    const { results } = await workCenter.batch(body, options)
    const changed: Changed[] = []
    let failedCount = 0
    results.forEach((result, index) => {
      const before = items[index] as WorkCenterItem
      if ('problem' in result) {
        failedCount += 1
        if (result.status === 404) lists.settle(before.id, null)
        else settled(before.id, verb, new KitError(result.problem))
        return
      }
      settled(before.id, verb, null)
      lists.settle(before.id, result.item)
      if (result.item !== null && result.item[fieldOf[verb]] !== before[fieldOf[verb]]) {
        changed.push({ before, after: result.item })
      }
    })
    return { changed, changedCount: results.length - failedCount, failedCount }
  }

  /** Runs requests as one change, and then notifies all stores. */
  const run = async (verb: BatchVerb, count: number, request: () => Promise<Outcome>): Promise<void> => {
    $batch.set({ status: 'pending', verb, count })
    const result = await outcome(session.signal, request())
    if (result !== null) session.announce({ kind: 'workCenter' })
    if (result === null || signal.aborted) return
    if ('error' in result) return $batch.set({ status: 'failed', verb, error: result.error })
    finish(verb, result.value)
  }
  const finish = (verb: BatchVerb, { changed, changedCount, failedCount }: Outcome): void => {
    undoable = Map.groupBy(changed, ({ before }) => (verb === 'snooze' ? before.snoozedUntilUtc : null))
    $batch.set({ status: 'done', verb, changedCount, failedCount, isUndoable: changed.length > 0 })
  }

  return {
    $batch,
    async change(verb, items, untilUtc = null) {
      if (isPending() || items.length === 0) return
      await run(verb, items.length, () => send(verb, items, untilUtc))
    },
    record(verb, before, after) {
      if (isPending() || after[fieldOf[verb]] === before[fieldOf[verb]]) return
      finish(verb, { changed: [{ before, after }], changedCount: 1, failedCount: 0 })
    },
    async undo() {
      const last = $batch.get()
      if (isPending() || last?.status !== 'done' || !last.isUndoable) return
      const groups = [...undoable]
      const verb = inverseOf[last.verb]
      await run(verb, last.changedCount, async () => {
        const sent = await Promise.all(
          groups.map(([untilUtc, changes]) =>
            send(
              verb,
              changes.map(({ after }) => after),
              untilUtc,
            ),
          ),
        )
        const total = (count: (one: (typeof sent)[number]) => number) =>
          sent.reduce((sum, one) => sum + count(one), 0)
        return {
          // The user has returned to the state before, so there is nothing left to undo.
          changed: [],
          changedCount: total((one) => one.changedCount),
          failedCount: total((one) => one.failedCount),
        }
      })
    },
    async readAll() {
      const seen = lists.seen()
      if (isPending() || seen === null) return
      await run('read', 0, async () => {
        const { changedCount } = await workCenter.readAll(seen, options)
        return { changed: [], changedCount, failedCount: 0 }
      })
    },
    close: () => {
      if (!isPending()) $batch.set(null)
    },
  }
}
