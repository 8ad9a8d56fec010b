import { type ExecuteAction, newIdempotencyKey } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'

/** The request for one intention of the user. Every repeat sends the same body with the same idempotency key. */
export type Intention = Readonly<
  Required<Pick<ExecuteAction, 'actionCode' | 'expectedVersion' | 'payload' | 'reason' | 'idempotencyKey'>>
>

/** The open intention: the one with an unknown outcome. */
export interface Intentions {
  /**
   * Returns the open intention if action, payload and reason are equal, even for another document version: the lost
   * attempt may have created that version, and the action must not run twice. Otherwise returns a new intention and key.
   */
  of(wanted: Omit<Intention, 'idempotencyKey'>): {
    readonly intention: Intention
    readonly isRepeat: boolean
  }
  open(): Intention | null
  /** Closes the open intention: its outcome is known, or the user dismissed it. */
  forget(): void
}

export function openIntentions(): Intentions {
  let current: { readonly intention: Intention; readonly asJson: string } | null = null
  return {
    of(wanted) {
      const { actionCode, payload, reason } = wanted
      const asJson = JSON.stringify([actionCode, payload, reason])
      if (current?.asJson === asJson) return { intention: current.intention, isRepeat: true }
      // Copy the body: the key is valid for this body only, and the caller may change its object later.
      const intention = { ...structuredClone(wanted), idempotencyKey: newIdempotencyKey() }
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
 * Returns whether an error proves that the action did not run. Answers of proxies prove nothing. Neither does a refused
 * token: an earlier attempt may have succeeded and its answer may be lost.
 */
export function isOutcomeKnown({ code, status }: KitError): boolean {
  if (code.startsWith('client.') || code.startsWith('auth.')) return false
  return status >= 400 && status < 500 && status !== 429 && code !== 'document_action.in_progress'
}
