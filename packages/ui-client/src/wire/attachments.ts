import type { BusinessObjectReference } from './business-objects.ts'

/** `pending`: reserved, bytes not verified. `ready`: sealed and downloadable. `deleted`: logically, bytes retained. */
export type AttachmentStatus = 'pending' | 'ready' | 'deleted'

/** A file on a business object. The content type is what the uploader declared: no proof of what is inside. */
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
 * Where to send the bytes: one request with this method, this URL and exactly these headers, without the service's
 * `Authorization` and without cookies, before `expiresAtUtc`. The URL is a credential: do not log or keep it.
 */
export interface PresignedUpload {
  method: 'PUT'
  url: string
  headers: { [name: string]: string }
  expiresAtUtc: string
}

/** A reserved upload: the pending attachment, and where its bytes go. */
export interface Upload {
  attachment: Attachment
  upload: PresignedUpload
}

/** Where to fetch the bytes, until `expiresAtUtc`. The URL is a credential: do not log or keep it. */
export interface Download {
  url: string
  expiresAtUtc: string
}
