import type { BusinessObjectReference } from './business-objects.ts'

/** A `pending` file is reserved but not verified. A `ready` file can be downloaded. A `deleted` file is hidden. */
export type AttachmentStatus = 'pending' | 'ready' | 'deleted'

/** A file of a business object. The content type is the uploader's declaration and does not prove the actual content. */
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
  /** The hash that the uploader declared, in base64. */
  sha256: string | null
}

/**
 * The destination of the bytes. Before `expiresAtUtc`, send one request with this method, this URL and exactly these
 * headers, without `Authorization` or cookies. The URL is a credential: do not log or store it.
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

/** The URL from which a file can be downloaded until `expiresAtUtc`. The URL is a credential: do not log or store it. */
export interface Download {
  url: string
  expiresAtUtc: string
}
