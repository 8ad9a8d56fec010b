import { type DocumentReference, type ExecuteAction, newIdempotencyKey } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'
import { perSession } from './per-session.ts'

/** The request of one intention: the user's decision to run an action once. Repeats send the same body and key. */
export type Intention = Readonly<
  Required<Pick<ExecuteAction, 'actionCode' | 'expectedVersion' | 'payload' | 'reason' | 'idempotencyKey'>>
>

/** An intention without a known outcome, and the error of its last attempt; null before its first answer. */
interface OpenIntention {
  readonly intention: Intention
  readonly error: KitError | null
}

/** The open intentions of a session: those with an unknown outcome. The user can leave their document and return. */
export interface Intentions {
  /**
   * Returns the open intention if its document, action, payload and reason equal the wanted ones, otherwise a new intention
   * with a new key. The document version can differ: the attempt with the lost response may have created it, and the
   * action must not run twice.
   */
  of(
    document: DocumentReference,
    wanted: Omit<Intention, 'idempotencyKey'>,
  ): { readonly intention: Intention; readonly isRepeat: boolean }
  /** Keeps an intention whose outcome is unknown after an attempt, unless another store knows the outcome. */
  keep(document: DocumentReference, open: OpenIntention): void
  /** Closes an intention, because it was refused or because the user dismissed it. */
  forget(document: DocumentReference, intention: Intention): void
  /**
   * Closes the intention that has succeeded, and those before it: the user sees the document after them, so the same input is a
   * new decision. Later ones stay open, because a repeated response can be older than they are. Without an intention, closes all.
   */
  succeeded(document: DocumentReference, last?: Intention): void
  /** Returns the last intention with an unknown outcome, with its error, to show it when the user returns to the document. */
  unknownOf(
    document: DocumentReference,
  ): { readonly intention: Intention; readonly error: KitError } | undefined
}

export function openIntentions(): Intentions {
  /** In the order of their first attempts. */
  const all = new Map<string, Map<string, OpenIntention>>()
  const known = new WeakSet<Intention>()
  const nameOf = ({ typeCode, id }: DocumentReference) => `${typeCode}/${id}`
  const inputOf = ({ actionCode, payload, reason }: Omit<Intention, 'idempotencyKey'>) =>
    JSON.stringify([actionCode, payload, reason])
  const ownOf = (document: DocumentReference) => all.get(nameOf(document)) ?? new Map<string, OpenIntention>()
  const set = (document: DocumentReference, open: OpenIntention) =>
    void all.set(nameOf(document), ownOf(document).set(inputOf(open.intention), open))
  const close = (document: DocumentReference, closed: readonly Intention[]) => {
    const own = ownOf(document)
    for (const intention of closed) {
      if (own.get(inputOf(intention))?.intention === intention) own.delete(inputOf(intention))
    }
    if (own.size === 0) all.delete(nameOf(document))
  }
  return {
    of(document, wanted) {
      const open = ownOf(document).get(inputOf(wanted))
      if (open !== undefined) return { intention: open.intention, isRepeat: true }
      const intention = { ...wanted, idempotencyKey: newIdempotencyKey() }
      set(document, { intention, error: null })
      return { intention, isRepeat: false }
    },
    keep(document, open) {
      if (!known.has(open.intention)) set(document, open)
    },
    forget(document, intention) {
      known.add(intention)
      close(document, [intention])
    },
    succeeded(document, last) {
      const own = [...ownOf(document).values()].map(({ intention }) => intention)
      if (last !== undefined) known.add(last)
      close(document, last === undefined ? own : own.slice(0, own.indexOf(last) + 1))
    },
    unknownOf: (document) =>
      [...ownOf(document).values()]
        .flatMap(({ intention, error }) => (error === null ? [] : { intention, error }))
        .at(-1),
  }
}

export const intentionsOf = perSession(openIntentions)

/**
 * Returns whether an error proves that the action did not run. The response of a proxy proves nothing. A refused token also
 * proves nothing, because an earlier attempt may have succeeded although its response was lost.
 */
export function isOutcomeKnown({ code, status }: KitError): boolean {
  if (code.startsWith('client.') || code.startsWith('auth.')) return false
  return status >= 400 && status < 500 && status !== 429 && code !== 'document_action.in_progress'
}
