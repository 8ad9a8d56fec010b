import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import { onOnline, openStore, outcome } from './store.ts'

/** The state of a {@link keptStore}: its content when it is loaded, and `Empty` before. */
export type KeptState<Content, Empty> =
  | ({ readonly status: 'idle' | 'loading' } & Empty)
  | ({ readonly status: 'ready' } & Content)
  | ({ readonly status: 'failed'; readonly error: KitError } & Empty)

/** A store whose content is loaded again only after a time. */
export interface KeptStore<Content, Empty> {
  readonly $state: ReadableAtom<KeptState<Content, Empty>>
  /** Loads the content unless it was loaded within the last 30 s. Concurrent calls share one request. */
  load(): Promise<void>
}

const keptMs = 30_000

/**
 * Opens a store for all readers of a session. A load that fails keeps the loaded content: a page must not lose a part because the
 * network is away for a moment. In a browser, a failed request is sent again when the network returns.
 */
export function keptStore<Content, Empty>(
  session: Session,
  empty: Empty,
  request: (signal: AbortSignal) => Promise<Content>,
): KeptStore<Content, Empty> {
  const { $state, signal, set } = openStore<KeptState<Content, Empty>>(session, { status: 'idle', ...empty })
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let inProgress: Promise<void> | null = null
  let hasFailed = false
  const ask = async (): Promise<void> => {
    const isFirst = $state.get().status !== 'ready'
    if (isFirst) set({ status: 'loading', ...empty })
    const result = await outcome(signal, request(signal))
    if (result === null) return
    hasFailed = 'error' in result
    if ('value' in result) {
      set({ status: 'ready', ...result.value })
      freshUntilMs = performance.now() + keptMs
    } else if (isFirst) set({ status: 'failed', error: result.error, ...empty })
  }
  const load = async (): Promise<void> => {
    if (performance.now() < freshUntilMs) return
    inProgress ??= ask().finally(() => {
      inProgress = null
    })
    return inProgress
  }
  onOnline(signal, () => hasFailed && void load())
  return { $state, load }
}
