import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import { stateMap } from '../state-map.ts'
import { outcome } from '../store.ts'

/** The state of a row with a pending or failed change. */
export type RowState =
  | { readonly status: 'pending' }
  | { readonly status: 'failed'; readonly error: KitError }

/** The rows of a list with pending or failed changes. */
export interface Rows {
  /** The key is the id of the row. */
  readonly $rows: ReadableAtom<ReadonlyMap<string, RowState>>
  /** Runs a change, one at a time for each row. Resolves with its result, or with null if it failed or did not run. */
  run<T>(id: string, change: () => Promise<T>): Promise<T | null>
  /** Removes the error of a row. */
  dismiss(id: string): void
}

/**
 * Creates the states of rows. They are empty when `signal` is aborted, which is that of the session: a change continues when the
 * administrator leaves the view, and its failure can still be told.
 */
export function createRows(signal: AbortSignal): Rows {
  const { $states: $rows, set } = stateMap<RowState>(signal)
  return {
    $rows,
    async run(id, change) {
      if (signal.aborted || $rows.get().get(id)?.status === 'pending') return null
      set(id, { status: 'pending' })
      const result = await outcome(signal, change())
      if (result === null) return null
      set(id, 'error' in result ? { status: 'failed', error: result.error } : null)
      return 'value' in result ? result.value : null
    },
    dismiss(id) {
      if ($rows.get().get(id)?.status === 'failed') set(id, null)
    },
  }
}

/** Returns whether a change failed because another administrator has changed the row. */
export const isConflict = (row: RowState | undefined): boolean =>
  row?.status === 'failed' && row.error.code.endsWith('.version_conflict')
