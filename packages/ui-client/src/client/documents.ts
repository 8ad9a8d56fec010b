import type {
  ActionRoles,
  BatchResult,
  DryRunResult,
  EditorState,
  Effects,
  ExecutionResult,
  RelatedDocuments,
} from '../wire/documents.ts'
import type { Get } from './get.ts'
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

/** The parameters of one batch: an action on several documents of a type. */
export interface ExecuteBatch extends CallOptions {
  readonly typeCode: string
  readonly actionCode: string
  /** 1 to 100 documents, each with the `documentVersion` that the user saw. */
  readonly items: readonly BatchItem[]
  readonly reason?: string | null
  /** One key per intention. A second request with this key and body executes only what is unfinished. */
  readonly idempotencyKey: string
}

/** One document of a batch. */
export interface BatchItem {
  readonly id: string
  readonly expectedVersion: number
  readonly payload?: unknown
}

/** Calls for documents and their actions. */
export function documentsApi(send: Send, get: Get) {
  const root = ({ typeCode, id }: DocumentReference) => path`/api/documents/${typeCode}/${id}`
  return {
    /** Resolves with the document and the actions that the caller is allowed to see. */
    editorState: (document: DocumentReference, options: CallOptions = {}) =>
      get<EditorState>(`${root(document)}/editor-state`, options),
    /** Resolves with the accounting effects of the document. */
    effects: (document: DocumentReference, options: CallOptions = {}) =>
      get<Effects>(`${root(document)}/effects`, options),
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
    /** Resolves with the state as it would be after an action. Changes nothing. Rejects like the action. */
    dryRun: ({
      actionCode,
      expectedVersion,
      payload,
      reason,
      signal,
      ...document
    }: Omit<ExecuteAction, 'idempotencyKey'>) =>
      send<DryRunResult>({
        method: 'POST',
        path: root(document) + path`/actions/${actionCode}`,
        query: { dryRun: true },
        body: { expectedVersion, payload: payload ?? null, reason: reason ?? null },
        isRepeatable: true,
        signal,
      }),
    /** Executes an action on several documents. Resolves with one result for each, in the order of the items. */
    executeBatch: ({ typeCode, actionCode, items, reason, idempotencyKey, signal }: ExecuteBatch) =>
      send<BatchResult>({
        method: 'POST',
        path: path`/api/documents/${typeCode}/actions/${actionCode}/batch`,
        headers: { 'Idempotency-Key': idempotencyKey },
        body: { items, reason: reason ?? null },
        isRepeatable: true,
        signal,
      }),
    /** Resolves with the roles that could perform an action. Requires the permission `system.roles.view`. */
    who: (document: DocumentReference, actionCode: string, options: CallOptions = {}) =>
      get<ActionRoles>(root(document) + path`/actions/${actionCode}/who`, options),
    /** Resolves with the documents that derivations link to the document. */
    related: (document: DocumentReference, options: CallOptions = {}) =>
      get<RelatedDocuments>(`${root(document)}/related`, options),
  }
}

/** Returns 128 random bits as the key of one intention. Unlike `crypto.randomUUID`, it needs no secure context. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
