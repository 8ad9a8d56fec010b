import { CoreError, type SQL, sql } from '@vertical-kit/core-audit'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { AttachmentsConfig } from './config.ts'
import type { Attachment, MultipartUpload } from './contract.ts'
import { AttachmentsError } from './errors.ts'
import { type AttachmentState, decideCompletion } from './policy.ts'
import type { attachments } from './schema.ts'
import type { StoredPart } from './storage/object-storage.ts'

const mebibyte = 1024 ** 2

/** S3 rejects smaller parts, except the last part of an upload. */
const minPartSizeBytes = 5 * mebibyte

/** Larger files have larger parts. S3 accepts up to 10,000 parts, and lists 1,000 of them per response. */
const maxPartCount = 1_000

/** Returns the size of the parts of a file: whole mebibytes, so that the sizes of its parts are obvious in a log. */
export const partSizeFor = (sizeBytes: number): number =>
  Math.max(minPartSizeBytes, Math.ceil(sizeBytes / maxPartCount / mebibyte) * mebibyte)

/** The stored properties of an upload in parts. */
export interface Multipart {
  readonly partSizeBytes: number
  /** The id of the upload in the store; `null` until the first part is signed. */
  readonly uploadId: string | null
}

/** The columns of {@link Multipart}. */
export type MultipartRow = RowOf<typeof attachments, 'partSizeBytes' | 'multipartUploadId'>

/** The select list of {@link MultipartRow}, with the table as `a`. */
export const multipartColumns: SQL = sql`a.part_size_bytes, a.multipart_upload_id`

/** Returns the properties of an upload in parts, or `null` for an upload in one request. */
export const toMultipart = (row: MultipartRow): Multipart | null =>
  row.part_size_bytes === null
    ? null
    : { partSizeBytes: row.part_size_bytes, uploadId: row.multipart_upload_id }

/** The properties of a file that decide how it is divided. */
interface Divided {
  readonly sizeBytes: number
  readonly partSizeBytes: number
}

/** Returns the size of each part of a file, in the order of their numbers from 1. */
export function partSizes({ sizeBytes, partSizeBytes }: Divided): readonly number[] {
  const partCount = Math.ceil(sizeBytes / partSizeBytes)
  const lastBytes = sizeBytes - (partCount - 1) * partSizeBytes
  return Array.from({ length: partCount }, (_, index) =>
    index === partCount - 1 ? lastBytes : partSizeBytes,
  )
}

/** Describes an upload in parts for its client. */
export function describeMultipart(
  { sizeBytes, createdAtUtc }: Pick<Attachment, 'sizeBytes' | 'createdAtUtc'>,
  { partSizeBytes }: Pick<Multipart, 'partSizeBytes'>,
  { pendingStaleAgeMs }: AttachmentsConfig,
): MultipartUpload {
  return {
    method: 'MULTIPART',
    partSizeBytes,
    partCount: partSizes({ sizeBytes, partSizeBytes }).length,
    expiresAtUtc: new Date(Date.parse(createdAtUtc) + pendingStaleAgeMs).toISOString(),
  }
}

/**
 * Returns the properties of an upload whose parts can be sent.
 * @throws {AttachmentsError} attachments.deleted · upload_expired · no_multipart_upload
 */
export function requireMultipart(
  found: AttachmentState & { readonly multipart: Multipart | null },
): Multipart {
  if (decideCompletion(found) === 'already-complete' || found.multipart === null) {
    throw new AttachmentsError('attachments.no_multipart_upload')
  }
  return found.multipart
}

/**
 * Returns the size of each named part.
 * @throws {CoreError} request.invalid, with the path of each number that the file does not have
 */
export function namedParts(
  partNumbers: readonly number[],
  file: Divided,
): readonly { readonly partNumber: number; readonly sizeBytes: number }[] {
  const sizes = partSizes(file)
  const errors = partNumbers.flatMap((number, index) =>
    number <= sizes.length
      ? []
      : [{ path: `partNumbers.${index}`, message: `expected at most ${sizes.length}` }],
  )
  if (errors.length > 0) throw new CoreError('request.invalid', { errors })
  return partNumbers.map((partNumber) => ({ partNumber, sizeBytes: sizes[partNumber - 1] ?? 0 }))
}

/**
 * Returns the parts of the declared file, in order. Only the list of the store counts; clients send none.
 * @throws {AttachmentsError} attachments.upload_missing · attachments.size_mismatch
 */
export function checkParts(file: Divided, stored: readonly StoredPart[]): readonly StoredPart[] {
  const byNumber = new Map(stored.map((part) => [part.partNumber, part]))
  return partSizes(file).map((sizeBytes, index) => {
    const part = byNumber.get(index + 1)
    if (part === undefined) throw new AttachmentsError('attachments.upload_missing')
    if (part.sizeBytes !== sizeBytes) throw new AttachmentsError('attachments.size_mismatch')
    return part
  })
}
