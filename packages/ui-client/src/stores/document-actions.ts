import { atom, type ReadableAtom } from 'nanostores'
import type { DocumentReference } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { EditorState, ExecutionResult } from '../wire/documents.ts'
import { type Intention, isOutcomeKnown, openIntentions } from './document-actions-intentions.ts'
import { openStore, outcome, type Store } from './store.ts'

/**
 * A document with what the user may do to it.
 *
 *     idle ──load──▶ loading ──▶ ready ──load──▶ refreshing ──▶ ready
 *                       └──▶ failed                   └──▶ failed, what was shown stays unless the document is gone
 */
export type DocumentActionsState =
  | { readonly status: 'idle' | 'loading'; readonly state: null }
  | { readonly status: 'ready' | 'refreshing'; readonly state: EditorState }
  | { readonly status: 'failed'; readonly state: EditorState | null; readonly error: KitError }

/** What the user is doing to it. One action at a time. */
export type Execution =
  | { readonly status: 'none' }
  | { readonly status: 'executing'; readonly actionCode: string }
  /** `isRetriable`: whether it happened is not known, and {@link DocumentActionsStore.retry} finds out. */
  | {
      readonly status: 'failed'
      readonly actionCode: string
      readonly error: KitError
      readonly isRetriable: boolean
    }
  | { readonly status: 'done'; readonly result: ExecutionResult }

/** What goes with an action. */
export interface ExecutionInput {
  /** What the action asks for. */
  readonly payload?: unknown
  readonly reason?: string | null
  /** The version the user decided about; the one that is shown when absent. */
  readonly expectedVersion?: number
}

/**
 * What may be done to one document, and doing it.
 *
 * An intention has one idempotency key, with one body, until it is known what came of it: asking for the same once more after
 * an answer was lost sends what was sent, which has no second effect. That does not outlive the page: after a reload it is a new
 * intention, and the document's version keeps it from happening twice.
 */
export interface DocumentActionsStore extends Store<DocumentActionsState> {
  readonly $execution: ReadableAtom<Execution>
  /** Asks for the document and its actions. It follows what the session's other stores change by itself. */
  load(): Promise<void>
  /**
   * Executes an action on the version that is shown. Resolves with what came of it, or null; does nothing while one is being
   * executed. When the service refuses because things are not as shown, they are loaded anew; nothing is tried again by itself.
   */
  execute(actionCode: string, input?: ExecutionInput): Promise<ExecutionResult | null>
  /** After a failure that leaves it open whether it happened: sends the same again. */
  retry(): Promise<ExecutionResult | null>
  /** Takes note of a failure or a result: it is not shown any more, and what is done next is another intention. */
  dismiss(): void
}

const noExecution: Execution = { status: 'none' }
/** The service's "not like this, not now": what is shown is not what is. */
const outdated = new Set([403, 404, 409])

/** The actions of a document. Races with other users are settled by the service; what it says of them is shown here. */
export function documentActionsStore(session: Session, document: DocumentReference): DocumentActionsStore {
  const { documents } = session.client
  const { $state, signal, set, dispose } = openStore<DocumentActionsState>(session, {
    status: 'idle',
    state: null,
  })
  const $execution = atom<Execution>(noExecution)
  signal.addEventListener('abort', () => $execution.set(noExecution), { once: true })
  const intentions = openIntentions()
  // Grows with every load and every result: what was asked for before is not what is shown any more.
  let generation = 0
  let isAnnouncing = false

  const setExecution = (execution: Execution) => {
    if (!signal.aborted) $execution.set(execution)
  }

  const load = async (): Promise<void> => {
    if (signal.aborted) return
    generation += 1
    const mine = generation
    const { state } = $state.get()
    set(state === null ? { status: 'loading', state } : { status: 'refreshing', state })
    const result = await outcome(signal, documents.editorState(document, { signal }))
    if (result === null || mine !== generation) return
    if ('value' in result) return set({ status: 'ready', state: result.value })
    const isGone = result.error.status === 403 || result.error.status === 404
    set({ status: 'failed', state: isGone ? null : state, error: result.error })
  }

  /** Told to the others, this store aside. */
  const announceChange = () => {
    isAnnouncing = true
    session.announce({ kind: 'document', ...document })
    isAnnouncing = false
  }

  const succeed = (result: ExecutionResult): void => {
    const { workCenterMayChange, document: changed, documentVersion, actions } = result
    const shownVersion = $state.get().state?.documentVersion ?? 0
    if (documentVersion >= shownVersion) {
      generation += 1
      set({ status: 'ready', state: { document: changed, documentVersion, actions } })
    }
    setExecution({ status: 'done', result })
    announceChange()
    if (workCenterMayChange) session.announce({ kind: 'workCenter' })
  }

  const fail = async ({ actionCode }: Intention, error: KitError): Promise<void> => {
    const isKnown = isOutcomeKnown(error)
    if (isKnown) intentions.forget()
    setExecution({ status: 'failed', actionCode, error, isRetriable: !isKnown })
    if (!isKnown || !outdated.has(error.status)) return
    const shownVersion = $state.get().state?.documentVersion
    await load()
    if ($state.get().state?.documentVersion !== shownVersion) announceChange()
  }

  const send = async (intention: Intention): Promise<ExecutionResult | null> => {
    setExecution({ status: 'executing', actionCode: intention.actionCode })
    // Ends with the session, not with the store: who goes on to another document has meant this one all the same.
    const request = documents.execute({ ...document, ...intention, signal: session.signal })
    const result = await outcome(session.signal, request)
    if (result === null) return null
    if ('error' in result) {
      await fail(intention, result.error)
      return null
    }
    intentions.forget()
    succeed(result.value)
    return result.value
  }

  /** A repeat is answered with how things were when it happened: how they are now has to be loaded. */
  const sendAgain = async (intention: Intention): Promise<ExecutionResult | null> => {
    const result = await send(intention)
    if (result !== null) await load()
    return result
  }

  session.listen((change) => {
    const isThis =
      change.kind === 'document' && change.typeCode === document.typeCode && change.id === document.id
    if (isThis && !isAnnouncing) void load()
  }, signal)

  const mayBegin = () => !signal.aborted && $execution.get().status !== 'executing'

  return {
    $state,
    $execution,
    dispose,
    load,
    async execute(actionCode, { payload = null, reason = null, expectedVersion } = {}) {
      const version = expectedVersion ?? $state.get().state?.documentVersion
      if (!mayBegin() || version === undefined) return null
      const { intention, isRepeat } = intentions.of({ actionCode, expectedVersion: version, payload, reason })
      return isRepeat ? sendAgain(intention) : send(intention)
    },
    async retry() {
      const intention = intentions.open()
      return mayBegin() && intention !== null ? sendAgain(intention) : null
    },
    dismiss() {
      if (!mayBegin()) return
      intentions.forget()
      $execution.set(noExecution)
    },
  }
}
