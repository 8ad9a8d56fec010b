import { type Caller, holds, requirePermission } from '@vertical-kit/core-audit/access'
import { codePointCount } from '@vertical-kit/core-audit/contract'
import type { AttachmentsConfig } from './config.ts'
import type { Attachment, AttachmentStatus } from './contract.ts'
import { AttachmentsError } from './errors.ts'
import type { StagedObject } from './storage/object-storage.ts'

const maxFileNameChars = 255
const maxContentTypeChars = 200

/** What a client declares of its file, as it is kept. */
export type Declaration = Pick<Attachment, 'fileName' | 'contentType' | 'sizeBytes'>

/**
 * A declaration in its normal form.
 * @throws {AttachmentsError} attachments.file_name_invalid · content_type_invalid · file_too_large
 */
export function normalizeDeclaration(raw: Declaration, config: AttachmentsConfig): Declaration {
  const fileName = normalizeFileName(raw.fileName)
  const contentType = normalizeContentType(raw.contentType)
  if (raw.sizeBytes < 0 || raw.sizeBytes > config.maxSizeBytes) throw fileTooLarge(config)
  return { fileName, contentType, sizeBytes: raw.sizeBytes }
}

/** The refusal of a file over the limit. */
export const fileTooLarge = ({ maxSizeBytes }: AttachmentsConfig): Error =>
  new AttachmentsError('attachments.file_too_large', { context: { maxSizeBytes } })

/**
 * A file name as it is kept and shown: what follows the last slash or backslash, without control and format
 * characters (a right-to-left override can make `exe.txt` look like `txt.exe`), composed (NFC), without white space
 * around it. Normalising twice changes nothing: characters go before composing, which brings none of them back, and
 * without them `trim` and Unicode's White_Space agree.
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
 * The media type alone, in lower case; blank becomes `application/octet-stream`.
 * @throws {AttachmentsError} attachments.content_type_invalid
 */
export function normalizeContentType(raw: string): string {
  const mediaType = parseMediaType(withoutParameters(raw) === '' ? 'application/octet-stream' : raw)
  if (mediaType === null) throw new AttachmentsError('attachments.content_type_invalid')
  return mediaType
}

/** `type/subtype` of RFC 9110 §8.3.1, each a token of §5.6.2. ASCII only, so it is matched before it is lowered. */
const mediaTypePattern = /^[!#$%&'*+.^_`|~\dA-Za-z-]+\/[!#$%&'*+.^_`|~\dA-Za-z-]+$/

/** The media type of a `Content-Type` value without its parameters; `null` when it holds none. */
export function parseMediaType(value: string): string | null {
  const mediaType = withoutParameters(value)
  const isMediaType = mediaTypePattern.test(mediaType) && mediaType.length <= maxContentTypeChars
  return isMediaType ? mediaType.toLowerCase() : null
}

const withoutParameters = (contentType: string): string => contentType.split(';', 1)[0]?.trim() ?? ''

/** What of a stored row decides what may be done, as of one moment of the database's clock. */
export interface AttachmentState {
  readonly status: AttachmentStatus
  /** Whether `PendingStaleAge` has passed since the reservation; means something for pending ones only. */
  readonly isExpired: boolean
}

/**
 * Whether an upload can be completed, or is already.
 * @throws {AttachmentsError} attachments.deleted · attachments.upload_expired
 */
export function decideCompletion({ status, isExpired }: AttachmentState): 'complete' | 'already-ready' {
  if (status === 'deleted') throw new AttachmentsError('attachments.deleted')
  if (status === 'ready') return 'already-ready'
  if (isExpired) throw new AttachmentsError('attachments.upload_expired')
  return 'complete'
}

/**
 * The uploaded object, when it is what was declared.
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
 * Only a ready attachment can be downloaded.
 * @throws {AttachmentsError} attachments.not_ready · attachments.deleted
 */
export function checkDownload({ status }: Pick<Attachment, 'status'>): void {
  if (status === 'pending') throw new AttachmentsError('attachments.not_ready')
  if (status === 'deleted') throw new AttachmentsError('attachments.deleted')
}

/**
 * From the audit timeline, whatever was ever completed can be downloaded.
 * @throws {AttachmentsError} attachments.not_ready
 */
export function checkAuditDownload({ completedAtUtc }: Pick<Attachment, 'completedAtUtc'>): void {
  if (completedAtUtc === null) throw new AttachmentsError('attachments.not_ready')
}

/** The permissions of which a deletion needs one; {@link checkDeletion} says which. A refusal names the first. */
export const deletionPermissions = ['system.attachments.delete', 'system.attachments.create'] as const

/**
 * Whether the caller may delete an attachment. The user who reserved an upload may cancel it with the permission that
 * reserving it took, until it is ready. A repeat of that cancellation needs no more than the cancellation did.
 *
 * @throws {CoreError} permission.denied, naming the permission to delete
 */
export function checkDeletion(
  caller: Caller,
  attachment: Pick<Attachment, 'createdByUserId' | 'completedAtUtc'>,
): void {
  const isOwnUpload = attachment.completedAtUtc === null && attachment.createdByUserId === caller.userId
  if (isOwnUpload && holds(caller, 'system.attachments.create')) return
  requirePermission(caller, 'system.attachments.delete')
}
