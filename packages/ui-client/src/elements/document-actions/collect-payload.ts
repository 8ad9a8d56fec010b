import { isKitError, KitError } from '../../client/kit-error.ts'
import type { DocumentActionsStore } from '../../stores/document-actions.ts'
import type { Document, DocumentAction } from '../../wire/documents.ts'

/**
 * Collects an action's payload. Resolves with null when the user cancels, and with undefined if no payload is needed. If it
 * rejects, the element shows that the action has failed: with the message of a `KitError`; other errors are reported
 * with `reportError`.
 */
export type CollectPayload = (action: DocumentAction, document: Document) => Promise<unknown>

/** An action, and the document for which the page collects its payload. */
interface Collection {
  readonly action: DocumentAction
  readonly document: Document
  readonly store: DocumentActionsStore
}

/** Resolves with the payload, or with null when the user cancels or `collect` fails. The store then has the error. */
export async function payloadFor(
  collect: CollectPayload | undefined,
  { action, document, store }: Collection,
): Promise<unknown> {
  try {
    return await collect?.(action, document)
  } catch (cause) {
    const error = isKitError(cause)
      ? cause
      : new KitError({ code: 'client.payload_failed', detail: '' }, { cause })
    if (error !== cause) reportError(cause)
    store.reject(action.code, error)
    return null
  }
}
