import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { BusinessObjectReference, ContentSummary } from '../wire/business-objects.ts'
import { type Countdown, startCountdown } from './countdown.ts'
import type { ListState } from './paged-list.ts'
import { perSession } from './per-session.ts'
import { stateMap } from './state-map.ts'
import { outcome } from './store.ts'

/**
 * The state of a deletion. The row is hidden unless the deletion has failed.
 *
 *     waiting ──▶ sending ──▶ deleted
 *        │           └──────▶ failed ──▶ waiting
 *        └──undo──▶ (none)
 */
export type DeletionState =
  | { readonly status: 'waiting' | 'sending' | 'deleted' }
  | { readonly status: 'failed'; readonly error: KitError }

/** A deletion that is sent after a while, so that the user can undo it. */
export interface Deletion {
  /** The time to undo. Its end sends the deletion. */
  readonly countdown: Countdown
  /** Shows the row again. Does nothing once the deletion is sent. */
  undo(): void
  /** Resolves with `deleted` or `failed`, or with null after `undo` and at the end of the session. */
  readonly ended: Promise<DeletionState | null>
}

export type DeletionStates = ReadonlyMap<string, DeletionState>

/** The notes or the files of an object. */
export interface Content {
  readonly kind: keyof ContentSummary
  readonly target: BusinessObjectReference
}

/** The deletions of a session. They outlive the panel in which they began. */
export interface Deletions {
  /** The deletions by the id of the row. */
  readonly $states: ReadableAtom<DeletionStates>
  /** Hides a row now, and calls `send` after 8 seconds, when the page is closed, or at the end of the session. */
  begin(id: string, send: () => Promise<unknown>, content: Content): Deletion
  /** The object of each row that a deletion has hidden, also after the deletion has ended. */
  readonly contents: ReadonlyMap<string, Content>
  /** Returns whether a deletion hides a row. */
  isHidden(id: string): boolean
  /** Returns a list without the hidden rows, until the signal is aborted. */
  without<T extends { readonly id: string }>(
    $list: ReadableAtom<ListState<T>>,
    signal: AbortSignal,
  ): ReadableAtom<ListState<T>>
}

const undoMs = 8_000

/** Returns the session's deletions. */
export const deletionsOf = perSession((session): Deletions => {
  const { $states, set } = stateMap<DeletionState>(session.signal)
  const contents = new Map<string, Content>()
  const waiting = new Map<string, Countdown>()
  // The browser completes these requests after the page is gone, because the client sends deletions with `keepalive`.
  globalThis.addEventListener?.(
    'pagehide',
    () => {
      for (const countdown of waiting.values()) countdown.end()
    },
    { signal: session.signal },
  )

  const isHidden = (id: string) => ($states.get().get(id)?.status ?? 'failed') !== 'failed'

  return {
    $states,
    contents,
    isHidden,
    begin(id, send, content) {
      const ended = Promise.withResolvers<DeletionState | null>()
      let isUndone = false
      const run = async (): Promise<DeletionState | null> => {
        waiting.delete(id)
        if (isUndone) return null
        set(id, { status: 'sending' })
        const result = await outcome(session.signal, send())
        if (result === null) return null
        const state: DeletionState =
          'error' in result ? { status: 'failed', error: result.error } : { status: 'deleted' }
        set(id, state)
        if (state.status === 'deleted') session.announce({ kind: 'content', target: content.target })
        return state
      }
      // At the end of the session, the request must ask for the token before another user signs in.
      const countdown = startCountdown(session.wait, undoMs, session.signal, () => ended.resolve(run()))
      waiting.set(id, countdown)
      contents.set(id, content)
      set(id, { status: 'waiting' })
      return {
        countdown,
        undo() {
          if (!waiting.has(id)) return
          isUndone = true
          set(id, null)
          countdown.end()
        },
        ended: ended.promise,
      }
    },
    without($list, signal) {
      const $shown = atom($list.get())
      const show = () => {
        const list = $list.get()
        const items = list.items.filter(({ id }) => !isHidden(id))
        $shown.set(items.length === list.items.length ? list : { ...list, items })
      }
      $list.listen(show)
      signal.addEventListener('abort', $states.listen(show))
      return $shown
    },
  }
})
