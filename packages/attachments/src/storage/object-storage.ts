/** The metadata of an object in the store. */
export interface StagedObject {
  /** The ETag without quotes. It changes when the bytes change; nothing else is guaranteed (RFC 9110 §8.8.3). */
  readonly etag: string
  readonly sizeBytes: number
  readonly contentType: string
}

/** Identifies the sealed bytes of an attachment in the store. */
export interface SealedKey {
  readonly id: string
  /** The number of the attempt that copies or has copied the upload; 0 for bytes that are not copied. */
  readonly sealAttempt: number
}

/** The uploaded object to seal. `etag` and `sizeBytes` were read from the store; `contentType` is the declared type. */
export interface SealRequest extends SealedKey {
  readonly etag: string
  readonly sizeBytes: number
  readonly contentType: string
}

/** A file that server code stores. */
export interface NewObject {
  /** The id of the future attachment. */
  readonly id: string
  readonly contentType: string
  readonly sizeBytes: number
  /** Yields exactly `sizeBytes` bytes. */
  readonly body: AsyncIterable<Uint8Array>
}

/** A URL that grants access without further credentials. Never log or store it, and never add it to an audit event. */
export interface SignedUrl {
  readonly url: string
  readonly expiresAtUtc: string
}

/** A signed URL for a PUT request. The signature covers `headers`, so the request must contain exactly these headers. */
export interface SignedPut extends SignedUrl {
  readonly headers: Readonly<Record<string, string>>
}

/** The upload of a file in parts. */
export interface PartsUpload {
  readonly id: string
  /** The id of the upload in the store, from `startParts`. */
  readonly uploadId: string
}

/** A part that the store has. */
export interface StoredPart {
  readonly partNumber: number
  readonly sizeBytes: number
  /** Changes when the bytes of the part change. */
  readonly etag: string
}

/**
 * The operations of the service on an object store. None of them receives the bytes of a client or deletes an object.
 * Each method that calls the store rejects with attachments.storage_unavailable if the response is missing or unusable.
 */
export interface ObjectStorage {
  /**
   * Signs an upload URL for one id. With `sha256`, the hash of the bytes in base64, a store that verifies checksums
   * accepts only these bytes. Makes no network call.
   */
  signPut(upload: {
    readonly id: string
    readonly contentType: string
    readonly sha256?: string | null
  }): Promise<SignedPut>
  /** Returns the metadata of the uploaded object, or `null` if it does not exist. */
  head(id: string): Promise<StagedObject | null>
  /**
   * Copies the uploaded object to the final key of the attempt and verifies the copy. Returns `changed` if the uploaded
   * object or the copy differs from the checked object. Call this once per attempt: a repeated or late copy of the same
   * attempt could replace the verified copy on a store that ignores conditions.
   *
   * @throws {AttachmentsError} attachments.storage_unavailable; the store may then still execute the copy
   */
  seal(object: SealRequest): Promise<'sealed' | 'changed'>
  /** Starts the upload of a file in parts, directly to its final key, and returns the id of the upload in the store. */
  startParts(file: { readonly id: string; readonly contentType: string }): Promise<string>
  /**
   * Signs the URL of one part with this length, which clients send as `Content-Length` anyway. After the parts are joined, the
   * store rejects the URL, so it cannot change the file. Makes no network call.
   */
  signPart(
    part: PartsUpload & { readonly partNumber: number; readonly sizeBytes: number },
  ): Promise<SignedPut>
  /** Returns the parts that the store has, in the order of their numbers, or `null` if it does not know the upload. */
  listParts(upload: PartsUpload): Promise<readonly StoredPart[] | null>
  /**
   * Joins these parts to the file at the final key. No bytes are copied, and an upload can be joined only once. Returns
   * `changed` if a part was replaced since it was listed, or `unknown` if the store does not know the upload, for example
   * because an earlier call has joined it; some stores repeat the answer of that call instead. `sizeBytes` is the size of the
   * file.
   *
   * @throws {AttachmentsError} attachments.storage_unavailable; the store may then still join the parts
   */
  joinParts(
    upload: PartsUpload & { readonly parts: readonly StoredPart[]; readonly sizeBytes: number },
  ): Promise<'joined' | 'changed' | 'unknown'>
  /** Returns the metadata of the joined parts, or `null` if the parts are not joined. */
  headJoined(id: string): Promise<StagedObject | null>
  /**
   * Stores a file at its final key. If an object exists there, the call fails, but a store that ignores conditions
   * overwrites the object. Never retries. The bytes are not downloadable until an attachment with this id exists.
   *
   * @throws {AttachmentsError} attachments.storage_unavailable. If the body throws or the signal aborts, rejects with the
   *   error of the body or the reason of the signal.
   */
  put(object: NewObject, signal?: AbortSignal): Promise<void>
  /**
   * Reads sealed bytes at the pace of the caller, until the signal aborts.
   * @throws {AttachmentsError} attachments.storage_unavailable if the store does not begin to send them
   */
  read(sealed: SealedKey, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** Signs a download URL for sealed bytes. Downloads get the file name `fileName`. Makes no network call. */
  signGet(download: SealedKey & { readonly fileName: string }): Promise<SignedUrl>
}
