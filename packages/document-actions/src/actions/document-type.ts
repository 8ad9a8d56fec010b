import type { Caller } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import type * as v from 'valibot'
import type { Effects } from '../contract.ts'
import type { DocumentFields, DocumentState, DocumentStore, Fields } from '../documents/document-store.ts'
import type { ActionDefinition } from './action-definition.ts'
import { type ActionMakers, actionMakers } from './action-makers.ts'

/** The rules of a document type, except its actions. */
interface DocumentRules<F extends Fields> extends DocumentFields<F> {
  /** The plural name, as in "Post sales invoices". */
  readonly plural: string
  readonly store: DocumentStore<F>
  /**
   * Returns whether a caller with `document.<type>.view` may see this document. Default: true. The API answers requests
   * for a hidden document as if it did not exist.
   */
  isVisibleTo?(caller: Caller, document: DocumentState<F>): boolean
  /** Loads the effects of the document on the books. Default: none. */
  loadEffects?(db: Db, document: DocumentState<F>): Promise<Effects>
}

/** A type of document: its fields, its store and its actions. */
export interface DocumentType<F extends Fields = Fields> extends DocumentRules<F> {
  loadFacts?(db: Db, document: DocumentState<F>): Promise<unknown>
  readonly actions: readonly ActionDefinition[]
}

/** The definition of a document type by a vertical. */
export interface DocumentTypeInput<Schema extends v.GenericSchema<unknown, Fields>, Facts>
  extends DocumentRules<v.InferOutput<Schema>> {
  readonly fields: Schema
  /**
   * Loads the facts that decide which actions are available. The number of statements must not depend on the number of
   * actions. Omit `loadFacts` if the actions depend only on the document; facts are then `undefined`. Declare `loadFacts`
   * before `actions`, because TypeScript infers the types in this order.
   */
  readonly loadFacts?: (db: Db, document: DocumentState<v.InferOutput<Schema>>) => Promise<Facts>
  /** Returns the actions of the type. The functions of `make` have the types of its fields and facts. */
  readonly actions: (make: ActionMakers<v.InferOutput<Schema>, Facts>) => readonly ActionDefinition[]
}

/** Defines a document type. Infers its fields and facts, and the payloads of its actions. */
export function documentType<Schema extends v.GenericSchema<unknown, Fields>, Facts = undefined>(
  input: DocumentTypeInput<Schema, Facts>,
): DocumentType<v.InferOutput<Schema>> {
  return { ...input, actions: input.actions(actionMakers()) }
}
