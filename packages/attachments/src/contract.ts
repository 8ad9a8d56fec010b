import {
  BusinessObjectReference,
  Id,
  Instant,
  PageLimit,
  Target,
  targetQuery,
} from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/** `pending`: reserved, bytes not verified. `ready`: sealed and downloadable. `deleted`: logically, bytes retained. */
export const attachmentStatuses = ['pending', 'ready', 'deleted'] as const
export type AttachmentStatus = (typeof attachmentStatuses)[number]

/** A file on a business object. The content type is what the uploader declared: no proof of what is inside. */
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

/** One page of a list, newest first. `nextCursor` is the `cursor` of the next request; null on the last page. */
export const AttachmentPage = v.pipe(
  v.object({ items: v.array(Attachment), nextCursor: v.nullable(v.string()) }),
  v.metadata({ ref: 'AttachmentPage' }),
)
export type AttachmentPage = v.InferOutput<typeof AttachmentPage>

export const ListAttachmentsQuery = v.object({ ...targetQuery, limit: PageLimit, cursor: v.optional(Id) })

/** What a client says of a file it wants to upload. Name and content type are normalised, then refused if need be. */
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
 * Where to send the bytes: one request with this method, this URL and exactly these headers, without the service's
 * `Authorization` and without cookies, before `expiresAtUtc`. The URL is a credential: do not log or share it.
 */
export const PresignedUpload = v.object({
  method: v.literal('PUT'),
  url: v.string(),
  headers: v.record(v.string(), v.string()),
  expiresAtUtc: Instant,
})
export type PresignedUpload = v.InferOutput<typeof PresignedUpload>

/** A reserved upload: the pending attachment, and where its bytes go. */
export const Upload = v.pipe(
  v.object({ attachment: Attachment, upload: PresignedUpload }),
  v.metadata({ ref: 'Upload' }),
)
export type Upload = v.InferOutput<typeof Upload>

/** Where to fetch the bytes, until `expiresAtUtc`. The URL is a credential: do not log or share it. */
export const Download = v.pipe(
  v.object({ url: v.string(), expiresAtUtc: Instant }),
  v.metadata({ ref: 'Download' }),
)
export type Download = v.InferOutput<typeof Download>
