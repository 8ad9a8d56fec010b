import { type ExecuteAction, newIdempotencyKey } from '../client/documents.ts'
import type { KitError } from '../client/kit-error.ts'

/** What a person means to do, as it is sent: the same body under the same key, however often. */
export type Intention = Readonly<
  Required<Pick<ExecuteAction, 'actionCode' | 'expectedVersion' | 'payload' | 'reason' | 'idempotencyKey'>>
>

/** The intention of which it is not known what came of it. */
export interface Intentions {
  /**
   * The open intention when it is the same: of another version, too. That a newer one is shown may well be its own doing, and
   * what is meant once must not happen twice. A new one, with a key of its own, when it is not the same.
   */
  of(wanted: Omit<Intention, 'idempotencyKey'>): {
    readonly intention: Intention
    readonly isRepeat: boolean
  }
  open(): Intention | null
  /** It is known what came of it, or the person does not want to know. */
  forget(): void
}

export function openIntentions(): Intentions {
  let current: { readonly intention: Intention; readonly asJson: string } | null = null
  return {
    of(wanted) {
      const { actionCode, payload, reason } = wanted
      const asJson = JSON.stringify([actionCode, payload, reason])
      if (current?.asJson === asJson) return { intention: current.intention, isRepeat: true }
      // A copy: the key is good for this body alone, whatever the caller does with theirs.
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
 * Whether an error says for sure that the action did not happen. Answers of proxies do not, nor do those to a token that was
 * refused: an attempt before it may have got through, its answer lost.
 */
export function isOutcomeKnown({ code, status }: KitError): boolean {
  if (code.startsWith('client.') || code.startsWith('auth.')) return false
  return status >= 400 && status < 500 && status !== 429 && code !== 'document_action.in_progress'
}
