import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type { DocumentStatus } from '../contract.ts'

/** The fields of a document, as its type has them. */
export type Fields = Readonly<Record<string, unknown>>

/** Which document: an id is a UUID in lower case, and belongs to one type. */
export interface DocumentReference {
  readonly typeCode: string
  readonly id: string
}

/** A document as rules look at it: without its times, which rules must not go by. */
export interface DocumentState extends DocumentReference {
  readonly number: string
  readonly display: string
  readonly status: DocumentStatus
  /** 1 when it is made; every executed action adds one, and so does every edit of your own. */
  readonly version: number
  readonly payload: { readonly fields: Fields }
}

/** A document as it is stored. */
export interface StoredDocument extends DocumentState {
  readonly createdAtUtc: string
  readonly updatedAtUtc: string
}

/** What an executed action writes to its document. */
export interface DocumentUpdate extends DocumentReference {
  readonly status: DocumentStatus
  readonly version: number
  readonly fields: Fields
}

/**
 * Where documents of a type are kept: the vertical's own table, or the one of this package
 * (`genericDocumentStore`). Each function is exactly one statement: the statement that is sent after `lock` must run
 * when the lock is held.
 */
export interface DocumentStore {
  /** The document as it is committed. The id of a document of another type names none. */
  find(db: Db, reference: DocumentReference): Promise<StoredDocument | undefined>
  /** Locks the document until the transaction ends, and returns it as the last writer left it. */
  lock(tx: Tx, reference: DocumentReference): Promise<StoredDocument | undefined>
  /** Writes a document that is locked, and returns it as it is from then on. */
  save(tx: Tx, update: DocumentUpdate): Promise<StoredDocument>
}
