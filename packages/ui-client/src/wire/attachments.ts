import type { BusinessObjectReference } from './business-objects.ts'

/** `pending`: reserved, bytes not verified. `ready`: sealed and downloadable. `deleted`: hidden, bytes retained. */
export type AttachmentStatus = 'pending' | 'ready' | 'deleted'

/** A file on a business object. The uploader declared the content type; it does not prove the content. */
export interface Attachment {
  id: string
  target: BusinessObjectReference
  fileName: string
  contentType: string
  sizeBytes: number
  status: AttachmentStatus
  createdAtUtc: string
  createdByUserId: string
  createdByDisplayName: string
  completedAtUtc: string | null
}

/**
 * The destination of the bytes. Send one request with this method, this URL and exactly these headers, without
 * `Authorization` or cookies, before `expiresAtUtc`. The URL is a credential: do not log or store it.
 */
export interface PresignedUpload {
  method: 'PUT'
  url: string
  headers: { [name: string]: string }
  expiresAtUtc: string
}

/** A reserved upload: the pending attachment, and the destination of its bytes. */
export interface Upload {
  attachment: Attachment
  upload: PresignedUpload
}

/** The URL of the bytes, valid until `expiresAtUtc`. The URL is a credential: do not log or store it. */
export interface Download {
  url: string
  expiresAtUtc: string
}
