import type { EditorState, Effects, ExecutionResult } from '../wire/documents.ts'
import { type CallOptions, path, type Send } from './send.ts'

/** Which document. */
export interface DocumentReference {
  readonly typeCode: string
  readonly id: string
}

/** One intention to act on a document. */
export interface ExecuteAction extends DocumentReference, CallOptions {
  readonly actionCode: string
  /** `documentVersion` as the person saw it. */
  readonly expectedVersion: number
  /** What the action asks for. */
  readonly payload?: unknown
  readonly reason?: string | null
  /** {@link newIdempotencyKey}, made once an intention: a repeat with the same key and body has no second effect. */
  readonly idempotencyKey: string
}

/** Calls for documents and what can be done to them. */
export function documentsApi(send: Send) {
  const root = ({ typeCode, id }: DocumentReference) => path`/api/documents/${typeCode}/${id}`
  return {
    /** The document with the actions the caller may see. */
    editorState: (document: DocumentReference, options: CallOptions = {}) =>
      send<EditorState>({ method: 'GET', path: `${root(document)}/editor-state`, ...options }),
    /** What the document has done to the books. */
    effects: (document: DocumentReference, options: CallOptions = {}) =>
      send<Effects>({ method: 'GET', path: `${root(document)}/effects`, ...options }),
    /** Executes an action, exactly once however often it has to be sent: failures that pass are retried with the same key. */
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

/** A key for one intention: 128 random bits. Works without a secure context, which `crypto.randomUUID` does not. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
