import {
  BusinessObjectReference,
  Id,
  Instant,
  PageLimit,
  Target,
  targetQuery,
} from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/** `pending`: reserved, bytes not verified. `ready`: sealed, downloadable. `deleted`: marked as deleted, bytes retained. */
export const attachmentStatuses = ['pending', 'ready', 'deleted'] as const
export type AttachmentStatus = (typeof attachmentStatuses)[number]

/** A file on a business object. The uploader declares the content type; nothing checks it against the bytes. */
export const Attachment = v.pipe(
  v.object({
    id: v.string(),
    target: BusinessObjectReference,
    fileName: v.string(),
    contentType: v.string(),
    sizeBytes: v.number(),
    status: v.picklist(attachmentStatuses),
    createdAtUtc: Instant,
    createdByUserId: v.string(),
    createdByDisplayName: v.string(),
    completedAtUtc: v.nullable(Instant),
  }),
  v.metadata({ ref: 'Attachment' }),
)
export type Attachment = v.InferOutput<typeof Attachment>

/** One page of a list, newest first. Send `nextCursor` as the `cursor` of the next request; null on the last page. */
export const AttachmentPage = v.pipe(
  v.object({ items: v.array(Attachment), nextCursor: v.nullable(v.string()) }),
  v.metadata({ ref: 'AttachmentPage' }),
)
export type AttachmentPage = v.InferOutput<typeof AttachmentPage>

export const ListAttachmentsQuery = v.object({ ...targetQuery, limit: PageLimit, cursor: v.optional(Id) })

/** The declaration of a file to upload. The service normalises the name and the content type, then validates them. */
export const CreateUploadBody = v.pipe(
  v.object({
    target: Target,
    fileName: v.string(),
    contentType: v.string(),
    sizeBytes: v.pipe(v.number(), v.integer('expected a whole number of bytes')),
  }),
  v.metadata({ ref: 'CreateUpload' }),
)

/**
 * The request that uploads the bytes: send this method, this URL and exactly these headers before `expiresAtUtc`,
 * without `Authorization` and cookies. The URL is a credential: do not log or share it.
 */
export const PresignedUpload = v.object({
  method: v.literal('PUT'),
  url: v.string(),
  headers: v.record(v.string(), v.string()),
  expiresAtUtc: Instant,
})
export type PresignedUpload = v.InferOutput<typeof PresignedUpload>

/** A reserved upload: the pending attachment and the request that uploads its bytes. */
export const Upload = v.pipe(
  v.object({ attachment: Attachment, upload: PresignedUpload }),
  v.metadata({ ref: 'Upload' }),
)
export type Upload = v.InferOutput<typeof Upload>

/** The URL of the bytes, valid until `expiresAtUtc`. The URL is a credential: do not log or share it. */
export const Download = v.pipe(
  v.object({ url: v.string(), expiresAtUtc: Instant }),
  v.metadata({ ref: 'Download' }),
)
export type Download = v.InferOutput<typeof Download>
