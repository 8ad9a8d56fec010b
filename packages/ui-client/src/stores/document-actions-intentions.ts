import { type ExecuteAction, newIdempotencyKey } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'

/** The request of one intention: the user's decision to run an action once. Repeats send the same body and key. */
export type Intention = Readonly<
  Required<Pick<ExecuteAction, 'actionCode' | 'expectedVersion' | 'payload' | 'reason' | 'idempotencyKey'>>
>

/** Stores the open intention, which is the intention with an unknown outcome. */
export interface Intentions {
  /**
   * Returns the open intention if its action, payload and reason equal the wanted ones, otherwise a new intention with a
   * new key. The document version can differ: the attempt with the lost response may have created it, and the
   * action must not run twice.
   */
  of(wanted: Omit<Intention, 'idempotencyKey'>): {
    readonly intention: Intention
    readonly isRepeat: boolean
  }
  open(): Intention | null
  /** Closes the open intention, because its outcome is known or because the user dismissed it. */
  forget(): void
}

export function openIntentions(): Intentions {
  let current: { readonly intention: Intention; readonly asJson: string } | null = null
  return {
    of(wanted) {
      const { actionCode, payload, reason } = wanted
      const asJson = JSON.stringify([actionCode, payload, reason])
      if (current?.asJson === asJson) return { intention: current.intention, isRepeat: true }
      const intention = { ...wanted, idempotencyKey: newIdempotencyKey() }
      current = { intention, asJson }
      return { intention, isRepeat: false }
    },
    open: () => current?.intention ?? null,
    forget() {
      current = null
    },
  }
}

/**
 * Returns whether an error proves that the action did not run. The response of a proxy proves nothing. A refused token also
 * proves nothing, because an earlier attempt may have succeeded although its response was lost.
 */
export function isOutcomeKnown({ code, status }: KitError): boolean {
  if (code.startsWith('client.') || code.startsWith('auth.')) return false
  return status >= 400 && status < 500 && status !== 429 && code !== 'document_action.in_progress'
}
