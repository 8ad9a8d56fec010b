import {
  BusinessObjectReference,
  FlagText,
  Id,
  Instant,
  PageLimit,
  Target,
  targetQuery,
} from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'

/**
 * `pending`: the bytes are not verified yet. `scanning`: they are complete, and a scanner checks them for malware. `ready`: the
 * file is downloadable. `quarantined`: the scanner has found malware; final. `deleted`: the store keeps the bytes.
 */
export const attachmentStatuses = ['pending', 'scanning', 'ready', 'quarantined', 'deleted'] as const
export type AttachmentStatus = (typeof attachmentStatuses)[number]

/**
 * A file on a business object. The uploader declares `contentType`; the service does not compare it with the bytes.
 * `sha256` is the base64 hash that the uploader declared, or `null`. A store that verifies checksums rejects other bytes.
 */
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
    sha256: v.nullable(v.string()),
  }),
  v.metadata({ ref: 'Attachment' }),
)
export type Attachment = v.InferOutput<typeof Attachment>

/** One page of a list, newest first. `nextCursor` is the `cursor` of the next page, or `null` on the last page. */
export const AttachmentPage = v.pipe(
  v.object({ items: v.array(Attachment), nextCursor: v.nullable(v.string()) }),
  v.metadata({ ref: 'AttachmentPage' }),
)
export type AttachmentPage = v.InferOutput<typeof AttachmentPage>

/** With `unlessReady=true`, a deletion leaves a ready file as it is. It cancels an upload, also during its malware scan. */
export const DeleteAttachmentQuery = v.object({
  unlessReady: v.optional(FlagText, 'false'),
})

export const ListAttachmentsQuery = v.object({ ...targetQuery, limit: PageLimit, cursor: v.optional(Id) })

/** 32 bytes in base64 (RFC 4648 §4). The last character before the padding has only 16 values, so each hash has one text. */
const sha256Pattern = /^[\dA-Za-z+/]{42}[048AEIMQUYcgkosw]=$/

/** The body that declares a file to upload. The service normalises `fileName` and `contentType`, then validates them. */
export const CreateUploadBody = v.pipe(
  v.object({
    target: Target,
    fileName: v.string(),
    contentType: v.string(),
    sizeBytes: v.pipe(v.number(), v.integer('expected a whole number of bytes')),
    sha256: v.optional(
      v.nullable(v.pipe(v.string(), v.regex(sha256Pattern, 'expected a SHA-256 hash in base64'))),
    ),
    /** Whether the bytes are sent in several parts. */
    multipart: v.optional(v.boolean()),
  }),
  v.metadata({ ref: 'CreateUpload' }),
)

/**
 * The request that uploads the bytes. Send it before `expiresAtUtc` with exactly these headers, without `Authorization`
 * and without cookies. The URL is a credential: do not log or share it.
 */
export const PresignedUpload = v.object({
  method: v.literal('PUT'),
  url: v.string(),
  headers: v.record(v.string(), v.string()),
  expiresAtUtc: Instant,
})
export type PresignedUpload = v.InferOutput<typeof PresignedUpload>

/**
 * An upload in parts. Part `n` (1 to `partCount`) contains the bytes from `(n - 1) * partSizeBytes` up to `n * partSizeBytes`,
 * and the last part ends with the file. Complete the upload before `expiresAtUtc`.
 */
export const MultipartUpload = v.object({
  method: v.literal('MULTIPART'),
  partSizeBytes: v.number(),
  partCount: v.number(),
  expiresAtUtc: Instant,
})
export type MultipartUpload = v.InferOutput<typeof MultipartUpload>

/** A reserved upload: the pending attachment and how its bytes are uploaded. */
export const Upload = v.pipe(
  v.object({ attachment: Attachment, upload: v.union([PresignedUpload, MultipartUpload]) }),
  v.metadata({ ref: 'Upload' }),
)
export type Upload = v.InferOutput<typeof Upload>

/** The numbers of the parts to send next. */
export const SignPartsBody = v.pipe(
  v.object({
    partNumbers: v.pipe(
      v.array(v.pipe(v.number(), v.integer(), v.minValue(1, 'expected at least 1'))),
      v.minLength(1, 'expected at least 1'),
      v.maxLength(100, 'expected at most 100'),
    ),
  }),
  v.metadata({ ref: 'SignParts' }),
)

/** The request that uploads one part. The rules of {@link PresignedUpload} apply. */
export const PresignedPart = v.object({ partNumber: v.number(), ...PresignedUpload.entries })
export type PresignedPart = v.InferOutput<typeof PresignedPart>

/** The requests for the named parts, in the order in which they were named. */
export const PresignedParts = v.pipe(
  v.object({ items: v.array(PresignedPart) }),
  v.metadata({ ref: 'PresignedParts' }),
)
export type PresignedParts = v.InferOutput<typeof PresignedParts>

/** A part that the store has. */
export const UploadedPart = v.object({ partNumber: v.number(), sizeBytes: v.number() })
export type UploadedPart = v.InferOutput<typeof UploadedPart>

/** The parts that the store has, in the order of their numbers, and the properties of the upload. */
export const UploadedParts = v.pipe(
  v.object({
    partSizeBytes: v.number(),
    partCount: v.number(),
    expiresAtUtc: Instant,
    items: v.array(UploadedPart),
  }),
  v.metadata({ ref: 'UploadedParts' }),
)
export type UploadedParts = v.InferOutput<typeof UploadedParts>

/** The URL of the bytes, valid until `expiresAtUtc`. The URL is a credential: do not log or share it. */
export const Download = v.pipe(
  v.object({ url: v.string(), expiresAtUtc: Instant }),
  v.metadata({ ref: 'Download' }),
)
export type Download = v.InferOutput<typeof Download>
