import { CoreError } from '@vertical-kit/core-audit'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { type SQL, sql } from 'drizzle-orm/sql'
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

/** Returns the `sealAttempt` of the key of the final bytes. Joined parts are not copied. */
export const sealedAttemptOf = (row: MultipartRow & RowOf<typeof attachments, 'sealAttempt'>): number =>
  row.part_size_bytes === null ? row.seal_attempt : 0

/** Describes an upload in parts for its client. An empty file has one empty part. */
export function describeMultipart(
  { sizeBytes, createdAtUtc }: Pick<Attachment, 'sizeBytes' | 'createdAtUtc'>,
  { partSizeBytes }: Pick<Multipart, 'partSizeBytes'>,
  { pendingStaleAgeMs }: AttachmentsConfig,
): MultipartUpload {
  return {
    method: 'MULTIPART',
    partSizeBytes,
    partCount: Math.max(1, Math.ceil(sizeBytes / partSizeBytes)),
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

/** @throws {CoreError} request.invalid, with the path of each number above `partCount` */
export function checkPartNumbers(partNumbers: readonly number[], partCount: number): void {
  const errors = partNumbers.flatMap((number, index) =>
    number <= partCount ? [] : [{ path: `partNumbers.${index}`, message: `expected at most ${partCount}` }],
  )
  if (errors.length > 0) throw new CoreError('request.invalid', { errors })
}

/**
 * Checks that the store has exactly the parts of the declared file. Only the list of the store counts; clients send none.
 * @throws {AttachmentsError} attachments.upload_missing · attachments.size_mismatch
 */
export function checkParts(
  { sizeBytes }: Pick<Attachment, 'sizeBytes'>,
  { partSizeBytes }: Pick<Multipart, 'partSizeBytes'>,
  parts: readonly StoredPart[],
): void {
  const partCount = Math.max(1, Math.ceil(sizeBytes / partSizeBytes))
  const byNumber = new Map(parts.map((part) => [part.partNumber, part.sizeBytes]))
  for (let number = 1; number <= partCount; number += 1) {
    const storedBytes = byNumber.get(number)
    if (storedBytes === undefined) throw new AttachmentsError('attachments.upload_missing')
    const isLast = number === partCount
    if (storedBytes !== (isLast ? sizeBytes - (partCount - 1) * partSizeBytes : partSizeBytes)) {
      throw new AttachmentsError('attachments.size_mismatch')
    }
  }
  // Only signed numbers can be sent, so more parts mean that the store confuses uploads.
  if (byNumber.size > partCount) throw new AttachmentsError('attachments.size_mismatch')
}
