/** An uploaded object, as the store describes it. */
export interface StagedObject {
  /** Without quotes. Changes whenever the bytes do; says nothing else (RFC 9110 §8.8.3). */
  readonly etag: string
  readonly sizeBytes: number
  readonly contentType: string
}

/** What is to become immutable: exactly the object that was checked, under the content type that was declared. */
export interface SealRequest {
  readonly id: string
  readonly etag: string
  readonly sizeBytes: number
  readonly contentType: string
}

/** The caller's turn to seal an upload. */
export interface ActiveLease {
  /** Aborted when the caller's time for the store is over. */
  readonly signal: AbortSignal
  /** Prolongs the turn; rejects when it has passed to somebody else. */
  renew(): Promise<void>
}

/** A file that the service itself stores. */
export interface NewObject {
  /** Never used before. */
  readonly id: string
  readonly contentType: string
  readonly sizeBytes: number
  /** Has exactly `sizeBytes`. */
  readonly body: AsyncIterable<Uint8Array>
}

/** A URL that carries its own permission. A credential: never logged, stored or audited. */
export interface SignedUrl {
  readonly url: string
  readonly expiresAtUtc: string
}

/** A signed URL to PUT to, with the headers that are part of its signature. */
export interface SignedPut extends SignedUrl {
  readonly headers: Readonly<Record<string, string>>
}

/**
 * What the service asks of an object store. Bytes of a client never pass through it, and there is no way to delete.
 * Every method that asks the store rejects with attachments.storage_unavailable when it gets no answer to go by.
 */
export interface ObjectStorage {
  /** How long `head` and `seal` may be made to take together; their caller's signal is what ends them. */
  readonly completionBudgetMs: number
  /** Signs an upload of one id's bytes. Asks nobody. */
  signPut(upload: { readonly id: string; readonly contentType: string }): Promise<SignedPut>
  /** Describes what was uploaded; `null` when nothing was. */
  head(id: string, signal: AbortSignal): Promise<StagedObject | null>
  /**
   * Copies the uploaded object to its final key and verifies the copy. `changed` when what was uploaded, or what was
   * copied, is not what was checked. To be called by one process at a time for an id: a store that ignores conditions
   * would overwrite what another has sealed.
   *
   * @throws {AttachmentsError} attachments.storage_unavailable, or what `renew` throws
   */
  seal(object: SealRequest, lease: ActiveLease): Promise<'sealed' | 'changed'>
  /**
   * Stores a file at its final key, unless the store has an object there (stores that ignore the condition overwrite it).
   * Tried once. The bytes are not downloadable until there is a record of the id.
   *
   * @throws {AttachmentsError} attachments.storage_unavailable; also whatever the body rejects with, and the signal's reason
   */
  put(object: NewObject, signal?: AbortSignal): Promise<void>
  /** Signs a download of sealed bytes under a file name. Asks nobody. */
  signGet(download: { readonly id: string; readonly fileName: string }): Promise<SignedUrl>
}
