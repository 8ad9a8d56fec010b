import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type * as v from 'valibot'
import type { DocumentStatus } from '../contract.ts'

/** The fields of a document of any type. Each type declares its own with a schema. */
export type Fields = Readonly<Record<string, unknown>>

/** A type and what its documents hold. Every document type is one. */
export interface DocumentFields<F extends Fields = Fields> {
  /** `trade.sales_invoice`; in URLs and permissions. */
  readonly typeCode: string
  /**
   * What a document of the type holds: the schema's output, which is JSON. Routes of the vertical parse with it what
   * comes from outside. Fields that are stored, or that a handler returns, are trusted and not parsed again.
   */
  readonly fields: v.GenericSchema<unknown, F>
}

/** Which document: an id is a UUID in lower case, and belongs to one type. */
export interface DocumentReference {
  readonly typeCode: string
  readonly id: string
}

/** A document as rules look at it: without its times, which rules must not go by. */
export interface DocumentState<F extends Fields = Fields> extends DocumentReference {
  readonly number: string
  readonly display: string
  readonly status: DocumentStatus
  /** 1 when it is made; every executed action adds one, and so does every edit of your own. */
  readonly version: number
  readonly payload: { readonly fields: F }
}

/** A document as it is stored. */
export interface StoredDocument<F extends Fields = Fields> extends DocumentState<F> {
  readonly createdAtUtc: string
  readonly updatedAtUtc: string
}

/** What an executed action writes to its document. */
export interface DocumentUpdate<F extends Fields = Fields> extends DocumentReference {
  readonly status: DocumentStatus
  readonly version: number
  readonly fields: F
}

/**
 * Where documents of a type are kept: the vertical's own table, or the one of this package
 * (`genericDocumentStore`). Each function is exactly one statement: the statement that is sent after `lock` must run
 * when the lock is held. Stored fields are trusted to be the type's: nothing parses them when they are read.
 */
export interface DocumentStore<F extends Fields = Fields> {
  /** The document as it is committed. The id of a document of another type names none. */
  find(db: Db, reference: DocumentReference): Promise<StoredDocument<F> | undefined>
  /** Locks the document until the transaction ends, and returns it as the last writer left it. */
  lock(tx: Tx, reference: DocumentReference): Promise<StoredDocument<F> | undefined>
  /** Writes a document that is locked, and returns it as it is from then on. */
  save(tx: Tx, update: DocumentUpdate<F>): Promise<StoredDocument<F>>
}

/**
 * A store for documents of any type, such as one table for several types: a {@link DocumentStore} of each of them. Use
 * a type's own `store` (`lease.store.find(…)`) to read documents with the fields of that type.
 */
export interface SharedDocumentStore {
  find<F extends Fields>(db: Db, reference: DocumentReference): Promise<StoredDocument<F> | undefined>
  lock<F extends Fields>(tx: Tx, reference: DocumentReference): Promise<StoredDocument<F> | undefined>
  save<F extends Fields>(tx: Tx, update: DocumentUpdate<F>): Promise<StoredDocument<F>>
}
