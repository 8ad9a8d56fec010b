import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type * as v from 'valibot'
import type { DocumentStatus } from '../contract.ts'

/** The fields of any document. Each type declares its fields with a schema. */
export type Fields = Readonly<Record<string, unknown>>

/** A type code with the schema of its fields. Every document type has both. */
export interface DocumentFields<F extends Fields = Fields> {
  /** The code in URLs and permissions, such as `trade.sales_invoice`. */
  readonly typeCode: string
  /**
   * The schema of the fields; its output is JSON. Routes of the vertical use it to parse input. Fields from the store or
   * from a handler are trusted and not parsed again.
   */
  readonly fields: v.GenericSchema<unknown, F>
}

/** Identifies a document. The id is a lower-case UUID and belongs to one type. */
export interface DocumentReference {
  readonly typeCode: string
  readonly id: string
}

/** A document as input of rules. It has no timestamps, because rules must not depend on them. */
export interface DocumentState<F extends Fields = Fields> extends DocumentReference {
  readonly number: string
  readonly display: string
  readonly status: DocumentStatus
  /** The version starts at 1. Every executed action adds 1. Your own edits must also add 1. */
  readonly version: number
  readonly payload: { readonly fields: F }
}

/** A stored document. */
export interface StoredDocument<F extends Fields = Fields> extends DocumentState<F> {
  readonly createdAtUtc: string
  readonly updatedAtUtc: string
}

/** The values that an executed action writes to its document. */
export interface DocumentUpdate<F extends Fields = Fields> extends DocumentReference {
  readonly status: DocumentStatus
  readonly version: number
  readonly fields: F
}

/**
 * Reads and writes the documents of a type, in a table of the vertical or in the table of this package
 * (`genericDocumentStore`). Each function must send exactly one statement: the package sends other statements right
 * after `lock`, and they must run with the lock. The package does not parse stored fields.
 */
export interface DocumentStore<F extends Fields = Fields> {
  /** Returns the committed document, or undefined if the id is unknown or belongs to another type. */
  find(db: Db, reference: DocumentReference): Promise<StoredDocument<F> | undefined>
  /** Returns the committed documents with these references, in any order. Omits unknown ids and ids of another type. */
  findMany(db: Db, references: readonly DocumentReference[]): Promise<readonly StoredDocument<F>[]>
  /** Locks the document until the transaction ends, and returns its latest committed state. */
  lock(tx: Tx, reference: DocumentReference): Promise<StoredDocument<F> | undefined>
  /** Updates a locked document and returns its new state. */
  save(tx: Tx, update: DocumentUpdate<F>): Promise<StoredDocument<F>>
}

/**
 * A store for several document types, such as one table for all of them. It can be the {@link DocumentStore} of each
 * type. To read documents with typed fields, use the `store` of the type (`lease.store.find(…)`).
 */
export interface SharedDocumentStore {
  find<F extends Fields>(db: Db, reference: DocumentReference): Promise<StoredDocument<F> | undefined>
  findMany<F extends Fields>(
    db: Db,
    references: readonly DocumentReference[],
  ): Promise<readonly StoredDocument<F>[]>
  lock<F extends Fields>(tx: Tx, reference: DocumentReference): Promise<StoredDocument<F> | undefined>
  save<F extends Fields>(tx: Tx, update: DocumentUpdate<F>): Promise<StoredDocument<F>>
}
