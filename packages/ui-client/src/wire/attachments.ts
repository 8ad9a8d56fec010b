import type { BusinessObjectReference } from './business-objects.ts'

/**
 * A `pending` file is reserved but not verified. A `scanning` file is verified, and the service checks it for malware. A `ready`
 * file can be downloaded. A `quarantined` file contains malware, and a `deleted` file is hidden: both states are final.
 */
export type AttachmentStatus = 'pending' | 'scanning' | 'ready' | 'quarantined' | 'deleted'

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

/**
 * An upload in parts. Part n has the bytes from (n - 1) × `partSizeBytes` up to, but not including, n × `partSizeBytes`; the
 * last part can be smaller. `signParts` returns the destinations of the parts. Complete the upload before `expiresAtUtc`.
 */
export interface MultipartUpload {
  method: 'MULTIPART'
  partSizeBytes: number
  partCount: number
  expiresAtUtc: string
}

/** A reserved upload: the pending attachment, and the destination of its bytes. */
export interface Upload<Destination = PresignedUpload | MultipartUpload> {
  attachment: Attachment
  upload: Destination
}

/** The destination of one part. A part that is sent again replaces the earlier one. Parts are numbered from 1. */
export interface PresignedPart extends PresignedUpload {
  partNumber: number
}

/** The destinations of parts, in the order of the request. */
export interface PresignedParts {
  items: PresignedPart[]
}

/** A part that the object store has received. */
export interface UploadedPart {
  partNumber: number
  sizeBytes: number
}

/** The division of an upload into parts, and the parts that the object store has received. */
export interface UploadedParts {
  partSizeBytes: number
  partCount: number
  expiresAtUtc: string
  items: UploadedPart[]
}

/** The URL from which a file can be downloaded until `expiresAtUtc`. The URL is a credential: do not log or store it. */
export interface Download {
  url: string
  expiresAtUtc: string
}
