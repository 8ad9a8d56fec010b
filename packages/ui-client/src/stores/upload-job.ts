import { newIdempotencyKey } from '../client/documents.ts'
import type { PresignedUpload } from '../wire/attachments.ts'
import type { UploadState, UploadStep } from './upload-state.ts'

/** The mutable state of one unfinished upload. */
export interface UploadJob {
  readonly key: string
  readonly file: File
  /** The signal that is aborted when the upload finishes, when the user removes it, or when the session ends. */
  readonly signal: AbortSignal
  readonly end: () => void
  state: UploadState
  /** The first step of the next attempt. */
  next: UploadStep
  attachmentId: string | null
  /** The destination of a file that is sent in one request. It is kept only in memory, because it is a credential. */
  target: PresignedUpload | null
  /** False after the user has cancelled the upload. */
  isWanted: boolean
}

/** Returns a key for a new upload. Keys begin with the time, so sorting them restores the order of the files. */
export const newUploadKey = (): string => `${Date.now().toString(36)}-${newIdempotencyKey()}`
