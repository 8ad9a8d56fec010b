import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import type { DeadLetter, OutboxEventHistory, OutboxState } from '../../wire/outbox.ts'
import { createPagedList, type ListState } from '../paged-list.ts'
import { openStore, outcome, type Store } from '../store.ts'
import { createRows, type Rows } from './rows.ts'

/** A dead letter as a row of a list. Its id consists of the event and the consumer. */
export interface DeadLetterRow extends DeadLetter {
  readonly id: string
}

/** The counts of the outbox. A failed load keeps the earlier counts. */
export interface OutboxCounts {
  readonly status: 'loading' | 'ready' | 'failed'
  readonly consumers: OutboxState['consumers']
  readonly error: KitError | null
}

/** The outbox, for administrators. Refreshes every 15 s once it is loaded. */
export interface OutboxStore extends Store<OutboxCounts>, Pick<Rows, '$rows'> {
  readonly $list: ReadableAtom<ListState<DeadLetterRow>>
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Resolves with the attempts at an event, or with null if they cannot be loaded. */
  history(letter: DeadLetterRow): Promise<OutboxEventHistory | null>
  /** Retries or discards a dead letter. Resolves with whether this succeeded. Afterwards the outbox is loaded again. */
  repair(letter: DeadLetterRow, how: 'retry' | 'discard', reason: string): Promise<boolean>
}

/** Number of rows per page. */
const pageSize = 30

/** The service reports no changes of the outbox. */
const refreshMs = 15_000

/** Opens the store of the outbox. */
export function outboxStore(session: Session): OutboxStore {
  const { outbox } = session.client
  const store = openStore<OutboxCounts>(session, { status: 'loading', consumers: [], error: null })
  const { signal } = store
  const rows = createRows(session.signal)
  const list = createPagedList<DeadLetterRow>({
    signal,
    pageSize,
    async fetchPage(page) {
      const { items, nextCursor } = await outbox.deadLetters(page)
      return {
        items: items.map((letter) => ({ ...letter, id: `${letter.eventId} ${letter.consumer}` })),
        nextCursor,
      }
    },
  })
  const loadCounts = async (): Promise<void> => {
    const result = await outcome(signal, outbox.state({ signal }))
    if (result === null) return
    store.update((state) =>
      'error' in result
        ? { ...state, status: 'failed', error: result.error }
        : { status: 'ready', ...result.value, error: null },
    )
  }
  const load = async (how: 'load' | 'refresh' = 'load'): Promise<void> => {
    await Promise.all([loadCounts(), list[how]()])
  }
  const timer = setInterval(() => {
    // Not while a request is running. A failure (`failed`, `moreFailed`) can pass, for example after a restart of the service.
    if (/ready|failed/i.test(list.$list.get().status)) void load('refresh')
  }, refreshMs)
  signal.addEventListener('abort', () => clearInterval(timer))
  return {
    $state: store.$state,
    $list: list.$list,
    $rows: rows.$rows,
    dispose: store.dispose,
    load: () => load(),
    loadMore: list.loadMore,
    async history({ eventId }) {
      const result = await outcome(signal, outbox.event(eventId, { signal }))
      return result !== null && 'value' in result ? result.value : null
    },
    async repair({ id, eventId, consumer }, how, reason) {
      const done = await rows.run(id, () =>
        outbox[how]({ eventId, consumer, reason, signal: session.signal }),
      )
      // After a refusal or a lost response, the row may be obsolete, too.
      await load()
      return done !== null
    },
  }
}
