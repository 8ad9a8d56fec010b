/** The metadata of an uploaded object in the store. */
export interface StagedObject {
  /** Without quotes. Changes if the bytes change; guarantees nothing else (RFC 9110 §8.8.3). */
  readonly etag: string
  readonly sizeBytes: number
  readonly contentType: string
}

/** The checked object that becomes immutable, with its declared content type. */
export interface SealRequest {
  readonly id: string
  readonly etag: string
  readonly sizeBytes: number
  readonly contentType: string
}

/** The lease of the current attempt to seal an upload. */
export interface ActiveLease {
  /** Aborted when the time budget for the store is used up. */
  readonly signal: AbortSignal
  /** Extends the lease. Rejects if another attempt has it. */
  renew(): Promise<void>
}

/** A file that server code stores. */
export interface NewObject {
  /** A new id. */
  readonly id: string
  readonly contentType: string
  readonly sizeBytes: number
  /** Yields exactly `sizeBytes` bytes. */
  readonly body: AsyncIterable<Uint8Array>
}

/** A URL that grants access without further credentials. Never log, store or audit it. */
export interface SignedUrl {
  readonly url: string
  readonly expiresAtUtc: string
}

/** A signed URL for a PUT request, with the headers that its signature covers. */
export interface SignedPut extends SignedUrl {
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The operations of the service on an object store. They never transfer the bytes of clients and cannot delete. Every
 * method that calls the store rejects with attachments.storage_unavailable if the answer is missing or unusable.
 */
export interface ObjectStorage {
  /** The maximum total duration of `head` and `seal`. The abort signal enforces it. */
  readonly completionBudgetMs: number
  /** Signs an upload URL for one id. Makes no network call. */
  signPut(upload: { readonly id: string; readonly contentType: string }): Promise<SignedPut>
  /** Returns the metadata of the uploaded object, or `null` if it does not exist. */
  head(id: string, signal: AbortSignal): Promise<StagedObject | null>
  /**
   * Copies the uploaded object to its final key and verifies the copy. Returns `changed` if the uploaded object or the
   * copy differs from the checked object. For each id, only one process at a time can call this: a store that ignores
   * conditions would overwrite an object that another process has sealed.
   *
   * @throws {AttachmentsError} attachments.storage_unavailable, or what `renew` throws
   */
  seal(object: SealRequest, lease: ActiveLease): Promise<'sealed' | 'changed'>
  /**
   * Stores a file at its final key, unless an object exists there (stores that ignore the condition overwrite it). Never
   * retries. The bytes are not downloadable until an attachment with this id exists.
   *
   * @throws {AttachmentsError} attachments.storage_unavailable; also the error of a failing body and the signal's reason
   */
  put(object: NewObject, signal?: AbortSignal): Promise<void>
  /** Signs a download URL for sealed bytes with a file name. Makes no network call. */
  signGet(download: { readonly id: string; readonly fileName: string }): Promise<SignedUrl>
}
