import type { ReadableAtom } from 'nanostores'
import type { DocumentReference } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'
import { onDemand, preload } from '../client/on-demand.ts'
import type { Session } from '../session/session.ts'
import type { AuditEvent } from '../wire/audit.ts'
import type { DryRunResult, EditorState, ExecutionResult } from '../wire/documents.ts'
import type { ActionRole } from './action-roles.ts'
import { copyOf } from './copy-of.ts'
import type { Executions, Wanted } from './document-executions.ts'
import { openState, openStore, outcome, type Store } from './store.ts'

/**
 * A document, and the actions on it that the user is allowed to see.
 *
 *     idle ──load──▶ loading ──▶ ready ──load──▶ refreshing ──▶ ready
 *                       └──▶ failed                   └──▶ failed; keeps the document, except after 403 or 404
 */
export type DocumentActionsState =
  | { readonly status: 'idle' | 'loading'; readonly state: null }
  | { readonly status: 'ready' | 'refreshing'; readonly state: EditorState }
  | { readonly status: 'failed'; readonly state: EditorState | null; readonly error: KitError }

/** The state of the latest execution. A store executes one action at a time. */
export type Execution =
  | { readonly status: 'none' }
  | { readonly status: 'executing'; readonly actionCode: string }
  /** If `isRetriable` is true, the outcome is unknown. {@link DocumentActionsStore.retry} determines the outcome. */
  | {
      readonly status: 'failed'
      readonly actionCode: string
      readonly error: KitError
      readonly isRetriable: boolean
      /** After a version conflict: the change that caused it, if the user may read the timeline. */
      readonly conflict?: AuditEvent
    }
  | { readonly status: 'done'; readonly result: ExecutionResult }

/** The outcome of a dry run. */
export type Preview = { readonly value: DryRunResult } | { readonly error: KitError }

/** The outcome of an execution. */
export type ExecutionOutcome = { readonly value: ExecutionResult } | { readonly error: KitError }

/** The input of an action. */
export interface ExecutionInput {
  /** The data that the action requires. */
  readonly payload?: unknown
  readonly reason?: string | null
  /** The document version that the user saw. Default: the version that is shown now. */
  readonly expectedVersion?: number
}

/** The input of a dry run. */
export interface PreviewInput extends ExecutionInput {
  /** Ends the dry run early, for example when its dialog closes. */
  readonly signal?: AbortSignal
}

/**
 * Lists and executes the actions of one document.
 *
 * The session keeps the body and the idempotency key of a request until the outcome is known. If the user executes the same
 * action again after a lost response, also after refused actions or after leaving the document, the store repeats the request,
 * and the action runs only once. A store that is opened later shows the failure again. After the success of a later action, the
 * same input is a new request. A reload of the page loses the key: the loaded document shows whether the action has run.
 */
export interface DocumentActionsStore extends Store<DocumentActionsState> {
  readonly $execution: ReadableAtom<Execution>
  /**
   * Loads the document and its actions, and reloads them whenever another store of the session changes the document. Resolves when
   * the answer to the newest load is shown.
   */
  load(): Promise<void>
  /**
   * Executes an action, by default on the shown version. Resolves with the result or the error, also after `dispose`; with
   * null if another action is running, or if the session ends before. If the service refuses the action because the shown
   * data is outdated, reloads the document but does not retry the action.
   */
  execute(actionCode: string, input?: ExecutionInput): Promise<ExecutionOutcome | null>
  /** Sends the same request again after a failure with an unknown outcome. */
  retry(): Promise<ExecutionOutcome | null>
  /** Performs a dry run: resolves with the state as it would be, or with the refusal. Null if it was ended early. */
  preview(actionCode: string, input?: PreviewInput): Promise<Preview | null>
  /**
   * Resolves with the roles that could perform an action. Empty if the user may not view roles. Each action is
   * requested once.
   */
  who(actionCode: string): Promise<readonly ActionRole[]>
  /** Shows why an action could not be executed, for example because the page could not collect its payload. */
  reject(actionCode: string, error: KitError): void
  /** Closes the message about a failure or result. If the outcome is unknown, the next execution uses a new key. */
  dismiss(): void
}

const documentExecutions = onDemand(() => import('./document-executions.ts'))

const noExecution: Execution = { status: 'none' }

/** Opens the store of a document's actions. If users act concurrently, the service decides which action succeeds. */
export function documentActionsStore(session: Session, document: DocumentReference): DocumentActionsStore {
  const { documents } = session.client
  const { $state, signal, set, dispose } = openStore<DocumentActionsState>(session, {
    status: 'idle',
    state: null,
  })
  const { $state: $execution, set: setExecution } = openState<Execution>(signal, noExecution)
  preload(documentExecutions)
  // Increases with every load and every result. Responses to loads of an earlier generation are ignored.
  let generation = 0
  // The newest load; none if a result was shown since.
  let newest: Promise<void> | undefined
  let isAnnouncing = false

  const reload = async (): Promise<void> => {
    if (signal.aborted) return
    const mine = ++generation
    const { state } = $state.get()
    set(state === null ? { status: 'loading', state } : { status: 'refreshing', state })
    const result = await outcome(signal, documents.editorState(document, { signal }))
    if (result === null) return
    if (mine !== generation) return newest
    if ('value' in result) return set({ status: 'ready', state: result.value })
    const isGone = result.error.status === 403 || result.error.status === 404
    set({ status: 'failed', state: isGone ? null : state, error: result.error })
  }
  const load = (): Promise<void> => {
    newest = reload()
    return newest
  }

  const shownVersion = () => $state.get().state?.documentVersion

  /** Notifies every store except this one. */
  const announceChange = () => {
    isAnnouncing = true
    session.announce({ kind: 'document', ...document })
    isAnnouncing = false
  }

  /** Shows the document after an execution, unless a newer version is already shown. */
  const show = ({ document: changed, documentVersion, actions }: ExecutionResult): void => {
    if (documentVersion < (shownVersion() ?? 0)) return
    generation += 1
    newest = undefined
    set({ status: 'ready', state: { document: changed, documentVersion, actions } })
  }

  const input = { session, document, signal, $execution, setExecution, $state, load, show, announceChange }
  let executions: Executions | null = null
  const loadExecutions = () =>
    outcome(
      session.signal,
      documentExecutions.load().then(({ openExecutions }) => {
        executions ??= openExecutions(input)
        return executions
      }),
    )

  // The user may have left the document after an execution with an unknown outcome, which has loaded the part.
  if (documentExecutions.get() !== null) void loadExecutions()

  session.listen((change) => {
    const isThis =
      change.kind === 'document' && change.typeCode === document.typeCode && change.id === document.id
    if (isThis && !isAnnouncing) void load()
  }, signal)

  /** Returns the data of an action, or null before the document is loaded. */
  const wantedOf = (
    actionCode: string,
    { payload = null, reason = null, expectedVersion = shownVersion() }: ExecutionInput = {},
  ): Wanted | null =>
    expectedVersion === undefined ? null : { actionCode, expectedVersion, payload: copyOf(payload), reason }
  const mayBegin = () => !signal.aborted && $execution.get().status !== 'executing'

  return {
    $state,
    $execution,
    dispose,
    load,
    async execute(actionCode, given) {
      const wanted = wantedOf(actionCode, given)
      if (!mayBegin() || wanted === null) return null
      setExecution({ status: 'executing', actionCode })
      const loaded = await loadExecutions()
      if (loaded === null) return null
      if ('value' in loaded) return loaded.value.execute(wanted)
      setExecution({ status: 'failed', actionCode, error: loaded.error, isRetriable: false })
      return loaded
    },
    async preview(actionCode, given) {
      const wanted = wantedOf(actionCode, given)
      if (signal.aborted || wanted === null) return null
      const loaded = await loadExecutions()
      if (loaded === null || 'error' in loaded) return loaded
      return loaded.value.preview(wanted, given?.signal)
    },
    async who(actionCode) {
      const loaded = await loadExecutions()
      return loaded !== null && 'value' in loaded ? loaded.value.who(actionCode) : []
    },
    async retry() {
      return mayBegin() ? (executions?.retry() ?? null) : null
    },
    reject(actionCode, error) {
      if (mayBegin()) setExecution({ status: 'failed', actionCode, error, isRetriable: false })
    },
    dismiss() {
      if (!mayBegin()) return
      executions?.forget()
      setExecution(noExecution)
    },
  }
}
