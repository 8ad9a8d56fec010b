import type { ReadableAtom } from 'nanostores'
import type { DocumentReference } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { ExecutionResult } from '../wire/documents.ts'
import { rolesFor } from './action-roles.ts'
import type {
  DocumentActionsState,
  DocumentActionsStore,
  Execution,
  ExecutionOutcome,
  Preview,
} from './document-actions.ts'
import { type Intention, intentionsOf, isOutcomeKnown } from './document-actions-intentions.ts'
import { latestChange } from './latest-change.ts'
import { outcome } from './store.ts'

/** The parts of a store of actions that an execution needs. */
export interface ExecutionsInput {
  readonly session: Session
  readonly document: DocumentReference
  /** The signal of the store. An execution continues after its end, until the session ends. */
  readonly signal: AbortSignal
  readonly $state: ReadableAtom<DocumentActionsState>
  readonly $execution: ReadableAtom<Execution>
  setExecution(execution: Execution): void
  load(): Promise<void>
  /** Shows the document after an execution. */
  show(result: ExecutionResult): void
  /** Notifies every other store of the session. */
  announceChange(): void
}

/** An action that the user wants, on the document version that the user saw. */
export type Wanted = Omit<Intention, 'idempotencyKey'>

/** The executions of the actions of one document, one at a time, and the roles that could perform the actions. */
export interface Executions extends Pick<DocumentActionsStore, 'who'> {
  execute(wanted: Wanted): Promise<ExecutionOutcome | null>
  /** Performs a dry run, until a signal ends it early. */
  preview(wanted: Wanted, ending?: AbortSignal): Promise<Preview | null>
  /** Sends the shown request with the unknown outcome again. Resolves with null if there is none. */
  retry(): Promise<ExecutionOutcome | null>
  /** Forgets the shown request with the unknown outcome. */
  forget(): void
}

/** Statuses of refusals that suggest that the shown data is outdated. */
const outdated = new Set([403, 404, 409])

export function openExecutions(input: ExecutionsInput): Executions {
  const { session, document, signal, $state, $execution, setExecution, load } = input
  const intentions = intentionsOf(session)
  let latest: Intention | null = null
  const shownVersion = () => $state.get().state?.documentVersion

  const fail = async (intention: Intention, error: KitError): Promise<void> => {
    const { actionCode } = intention
    const isKnown = isOutcomeKnown(error)
    if (isKnown) intentions.forget(document, intention)
    else intentions.keep(document, { intention, error })
    const failed: Execution = { status: 'failed', actionCode, error, isRetriable: !isKnown }
    setExecution(failed)
    if (!isKnown || !outdated.has(error.status)) return
    const before = shownVersion()
    await load()
    if (shownVersion() !== before) input.announceChange()
    if (error.code !== 'documents.version_conflict') return
    const conflict = await latestChange(session, document, signal)
    // The user may have dismissed the failure, or executed another action.
    if (conflict !== null && $execution.get() === failed) setExecution({ ...failed, conflict })
  }

  const succeed = (intention: Intention, result: ExecutionResult): void => {
    intentions.succeeded(document, intention)
    input.show(result)
    setExecution({ status: 'done', result })
    input.announceChange()
    if (result.workCenterMayChange) session.announce({ kind: 'workCenter' })
  }

  const send = async (intention: Intention): Promise<ExecutionOutcome | null> => {
    latest = intention
    setExecution({ status: 'executing', actionCode: intention.actionCode })
    // With the session's signal, the action continues after the user has opened another document.
    const request = session.client.documents.execute({ ...document, ...intention, signal: session.signal })
    const result = await outcome(session.signal, request)
    if (result === null) return null
    if ('error' in result) await fail(intention, result.error)
    else succeed(intention, result.value)
    return result
  }

  /** Sends a request again, then loads the document: the repeated response can contain an older state. */
  const sendAgain = async (intention: Intention): Promise<ExecutionOutcome | null> => {
    const result = await send(intention)
    if (result !== null && 'value' in result) await load()
    return result
  }

  /** Returns the intention of the shown failure if its outcome is unknown. */
  const unknown = (): Intention | null => {
    const execution = $execution.get()
    return execution.status === 'failed' && execution.isRetriable ? latest : null
  }

  const open = intentions.unknownOf(document)
  if (open !== undefined && $execution.get().status === 'none') {
    const { intention, error } = open
    latest = intention
    setExecution({ status: 'failed', actionCode: intention.actionCode, error, isRetriable: true })
  }

  return {
    async execute(wanted) {
      const { intention, isRepeat } = intentions.of(document, wanted)
      return isRepeat ? sendAgain(intention) : send(intention)
    },
    async preview(wanted, ending = signal) {
      const either = AbortSignal.any([signal, ending])
      return outcome(either, session.client.documents.dryRun({ ...document, ...wanted, signal: either }))
    },
    async retry() {
      const intention = unknown()
      return intention === null ? null : sendAgain(intention)
    },
    forget() {
      const intention = unknown()
      if (intention !== null) intentions.forget(document, intention)
    },
    who: rolesFor(session, document, signal),
  }
}
