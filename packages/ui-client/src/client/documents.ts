import type { EditorState, Effects, ExecutionResult } from '../wire/documents.ts'
import { type CallOptions, path, type Send } from './send.ts'

/** The identity of a document. */
export interface DocumentReference {
  readonly typeCode: string
  readonly id: string
}

/** The parameters of one execution of an action on a document. */
export interface ExecuteAction extends DocumentReference, CallOptions {
  readonly actionCode: string
  /** The `documentVersion` that the user saw. */
  readonly expectedVersion: number
  /** The data that the action requires. */
  readonly payload?: unknown
  readonly reason?: string | null
  /** One key per intention, from {@link newIdempotencyKey}. A second request with this key and body has no effect. */
  readonly idempotencyKey: string
}

/** Calls for documents and their actions. */
export function documentsApi(send: Send) {
  const root = ({ typeCode, id }: DocumentReference) => path`/api/documents/${typeCode}/${id}`
  return {
    /** Resolves with the document and the actions that the caller is allowed to see. */
    editorState: (document: DocumentReference, options: CallOptions = {}) =>
      send<EditorState>({ method: 'GET', path: `${root(document)}/editor-state`, ...options }),
    /** Resolves with the accounting effects of the document. */
    effects: (document: DocumentReference, options: CallOptions = {}) =>
      send<Effects>({ method: 'GET', path: `${root(document)}/effects`, ...options }),
    /** Executes an action exactly once. After a temporary failure, the call is retried with the same key. */
    execute: ({
      actionCode,
      expectedVersion,
      payload,
      reason,
      idempotencyKey,
      signal,
      ...document
    }: ExecuteAction) =>
      send<ExecutionResult>({
        method: 'POST',
        path: root(document) + path`/actions/${actionCode}`,
        headers: { 'Idempotency-Key': idempotencyKey },
        body: { expectedVersion, payload: payload ?? null, reason: reason ?? null },
        isRepeatable: true,
        signal,
      }),
  }
}

/** Returns 128 random bits as the key of one intention. Unlike `crypto.randomUUID`, it needs no secure context. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
