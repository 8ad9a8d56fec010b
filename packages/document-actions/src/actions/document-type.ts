import type { Caller } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import type * as v from 'valibot'
import type { Effects } from '../contract.ts'
import type { DocumentFields, DocumentState, DocumentStore, Fields } from '../documents/document-store.ts'
import type { ActionDefinition } from './action-definition.ts'
import { type ActionMakers, actionMakers } from './action-makers.ts'

/** What a type says of its documents besides its actions. */
interface DocumentRules<F extends Fields> extends DocumentFields<F> {
  /** Several of them, as in "Post sales invoices". */
  readonly plural: string
  readonly store: DocumentStore<F>
  /**
   * Whether a caller who holds `document.<type>.view` may see this one; everyone may when absent. A document that is
   * hidden answers like one that does not exist.
   */
  isVisibleTo?(caller: Caller, document: DocumentState<F>): boolean
  /** What the document has done to the books; nothing when absent. */
  loadEffects?(db: Db, document: DocumentState<F>): Promise<Effects>
}

/** One type of document: what its documents hold, where they are, and what may be done to them. */
export interface DocumentType<F extends Fields = Fields> extends DocumentRules<F> {
  loadFacts?(db: Db, document: DocumentState<F>): Promise<unknown>
  readonly actions: readonly ActionDefinition[]
}

/** A type as a vertical defines it. */
export interface DocumentTypeInput<Schema extends v.GenericSchema<unknown, Fields>, Facts>
  extends DocumentRules<v.InferOutput<Schema>> {
  readonly fields: Schema
  /**
   * Loads what availability is decided over: a fixed number of statements, however many actions there are. Absent where
   * no action depends on more than the document; facts are `undefined` then. Write it above `actions`: its type is
   * inferred first.
   */
  readonly loadFacts?: (db: Db, document: DocumentState<v.InferOutput<Schema>>) => Promise<Facts>
  /** What may be done to the documents, made with functions that know the type's fields and facts. */
  readonly actions: (make: ActionMakers<v.InferOutput<Schema>, Facts>) => readonly ActionDefinition[]
}

/** Defines a type of document. Its fields and facts, and the payloads of its actions, are inferred. */
export function documentType<Schema extends v.GenericSchema<unknown, Fields>, Facts = undefined>(
  input: DocumentTypeInput<Schema, Facts>,
): DocumentType<v.InferOutput<Schema>> {
  return { ...input, actions: input.actions(actionMakers()) }
}
