import { type Caller, holds, requirePermission } from '@vertical-kit/core-audit/access'
import { codePointCount } from '@vertical-kit/core-audit/contract'
import type { AttachmentsConfig } from './config.ts'
import type { Attachment, AttachmentStatus } from './contract.ts'
import { AttachmentsError } from './errors.ts'
import type { StagedObject } from './storage/object-storage.ts'

const maxFileNameChars = 255
const maxContentTypeChars = 200

/** The properties of a file that its uploader declares, in the form in which the database stores them. */
export type Declaration = Pick<Attachment, 'fileName' | 'contentType' | 'sizeBytes'>

/**
 * Returns the normalised declaration.
 * @throws {AttachmentsError} attachments.file_name_invalid · content_type_invalid · file_too_large
 */
export function normalizeDeclaration(raw: Declaration, config: AttachmentsConfig): Declaration {
  const fileName = normalizeFileName(raw.fileName)
  const contentType = normalizeContentType(raw.contentType)
  if (raw.sizeBytes < 0 || raw.sizeBytes > config.maxSizeBytes) throw fileTooLarge(config)
  return { fileName, contentType, sizeBytes: raw.sizeBytes }
}

/** Returns the error for a file that exceeds the maximum size. */
export const fileTooLarge = ({ maxSizeBytes }: AttachmentsConfig): Error =>
  new AttachmentsError('attachments.file_too_large', { context: { maxSizeBytes } })

/**
 * Returns the file name to store and show: the part after the last slash or backslash, in NFC, without surrounding white
 * space and without control and format characters. A format character can reverse the displayed text, so that `exe.txt`
 * looks like `txt.exe`. The function is idempotent: NFC never creates a control or format character, and after their
 * removal `trim` removes exactly the characters with the Unicode property White_Space.
 *
 * @throws {AttachmentsError} attachments.file_name_invalid
 */
export function normalizeFileName(raw: string): string {
  if (!raw.isWellFormed()) throw new AttachmentsError('attachments.file_name_invalid')
  const name = raw
    .slice(Math.max(raw.lastIndexOf('/'), raw.lastIndexOf('\\')) + 1)
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .normalize('NFC')
    .trim()
  if (name === '' || name === '.' || name === '..' || codePointCount(name) > maxFileNameChars) {
    throw new AttachmentsError('attachments.file_name_invalid')
  }
  return name
}

/**
 * Returns the media type in lower case, without parameters. A blank value becomes `application/octet-stream`.
 * @throws {AttachmentsError} attachments.content_type_invalid
 */
export function normalizeContentType(raw: string): string {
  const mediaType = parseMediaType(withoutParameters(raw) === '' ? 'application/octet-stream' : raw)
  if (mediaType === null) throw new AttachmentsError('attachments.content_type_invalid')
  return mediaType
}

/** `type/subtype` (RFC 9110 §8.3.1, §5.6.2). Match before lower-casing, which turns some non-ASCII letters into ASCII. */
const mediaTypePattern = /^[!#$%&'*+.^_`|~\dA-Za-z-]+\/[!#$%&'*+.^_`|~\dA-Za-z-]+$/

/** Returns the media type of a `Content-Type` value without its parameters, or `null` if the value is invalid. */
export function parseMediaType(value: string): string | null {
  const mediaType = withoutParameters(value)
  const isMediaType = mediaTypePattern.test(mediaType) && mediaType.length <= maxContentTypeChars
  return isMediaType ? mediaType.toLowerCase() : null
}

const withoutParameters = (contentType: string): string => contentType.split(';', 1)[0]?.trim() ?? ''

/** The state that decides which operations are possible. Both fields are read in one statement. */
export interface AttachmentState {
  readonly status: AttachmentStatus
  /** Whether `PendingStaleAge` has passed since the reservation. The value matters only for pending attachments. */
  readonly isExpired: boolean
}

/**
 * Returns `complete` if the upload can be completed, or `already-complete` if it has been completed.
 * @throws {AttachmentsError} attachments.deleted · attachments.quarantined · attachments.upload_expired
 */
export function decideCompletion({ status, isExpired }: AttachmentState): 'complete' | 'already-complete' {
  if (status === 'deleted') throw new AttachmentsError('attachments.deleted')
  if (status === 'quarantined') throw new AttachmentsError('attachments.quarantined')
  if (status !== 'pending') return 'already-complete'
  if (isExpired) throw new AttachmentsError('attachments.upload_expired')
  return 'complete'
}

/**
 * Returns the uploaded object if it matches the declaration.
 * @throws {AttachmentsError} attachments.upload_missing · size_mismatch · content_type_mismatch
 */
export function checkStaged(declared: Declaration, staged: StagedObject | null): StagedObject {
  if (staged === null) throw new AttachmentsError('attachments.upload_missing')
  if (staged.sizeBytes !== declared.sizeBytes) throw new AttachmentsError('attachments.size_mismatch')
  if (parseMediaType(staged.contentType) !== declared.contentType) {
    throw new AttachmentsError('attachments.content_type_mismatch')
  }
  return staged
}

/**
 * Throws unless the attachment is ready. Only ready attachments can be downloaded.
 * @throws {AttachmentsError} attachments.not_ready · attachments.quarantined · attachments.deleted
 */
export function checkDownload({ status }: Pick<Attachment, 'status'>): void {
  if (status === 'ready') return
  if (status === 'deleted' || status === 'quarantined') throw new AttachmentsError(`attachments.${status}`)
  throw new AttachmentsError('attachments.not_ready')
}

/**
 * Throws unless the file was ready once. The audit timeline offers such files even after their deletion.
 * @throws {AttachmentsError} attachments.not_ready · attachments.quarantined
 */
export function checkAuditDownload({
  status,
  completedAtUtc,
}: Pick<Attachment, 'status' | 'completedAtUtc'>): void {
  if (status === 'quarantined') throw new AttachmentsError('attachments.quarantined')
  if (completedAtUtc === null) throw new AttachmentsError('attachments.not_ready')
}

/** A deletion needs one of these permissions, and {@link checkDeletion} decides which. A 403 names the first of them. */
export const deletionPermissions = ['system.attachments.delete', 'system.attachments.create'] as const

/**
 * Throws unless the caller may delete the attachment. Until an upload is completed, `system.attachments.create` allows
 * its author to cancel it, and to repeat the cancellation. Every other deletion needs `system.attachments.delete`.
 *
 * @throws {CoreError} permission.denied, which names `system.attachments.delete`
 */
export function checkDeletion(
  caller: Caller,
  attachment: Pick<Attachment, 'createdByUserId' | 'completedAtUtc'>,
): void {
  const isOwnUpload = attachment.completedAtUtc === null && attachment.createdByUserId === caller.userId
  if (isOwnUpload && holds(caller, 'system.attachments.create')) return
  requirePermission(caller, 'system.attachments.delete')
}
