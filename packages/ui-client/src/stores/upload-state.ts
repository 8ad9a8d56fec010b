import type { KitError } from '../client/kit-error.ts'

/**
 * The steps of an upload: reserve the upload, send the bytes to the object store, and let the service verify them. The scan for
 * malware belongs to the verification.
 */
export type UploadStep = 'reserving' | 'transferring' | 'verifying'

/**
 * The state of an upload:
 *
 *     queued ──▶ reserving ──▶ transferring ──▶ verifying ─┬─▶ scanning ─┬─▶ (ready, in the list)
 *       ▲            │              │               │      └──────│──────┘
 *       │            └──────────────┴───────────────┴─────────────┴──▶ failed
 *       └──────────────────────retry────────────────────────────────────┤
 *                           (a reload)──▶ interrupted ──────────────────┘
 *
 * An upload is `scanning` only if the service scans files for malware. It then leaves its place to the next queued upload.
 * An upload that a rate limit refuses waits for `Retry-After`, and is then `queued` again. After 12 refusals, it is `failed`.
 */
export type UploadState =
  | { readonly status: 'queued' | 'reserving' | 'verifying' | 'scanning' }
  | { readonly status: 'transferring'; readonly sentBytes: number; readonly totalBytes: number }
  /** If `canRetry` is true, another attempt can succeed. The attempt starts with the step that must be repeated. */
  | {
      readonly status: 'failed'
      readonly step: UploadStep
      readonly error: KitError
      readonly canRetry: boolean
    }
  /** The same user started the upload before the page was loaded. `retry` resumes the upload. */
  | { readonly status: 'interrupted' }

/** An unfinished upload. `fileName` is the name that the service will store. */
export type FileUpload = UploadState & {
  readonly key: string
  readonly fileName: string
  readonly sizeBytes: number
  /** The user's file in this browser, for example for a preview. */
  readonly file: File
}

/** The progress of an object's uploads since the user last had no unfinished upload to it. */
export interface UploadProgress {
  readonly finishedCount: number
  /** The number of finished and unfinished uploads. */
  readonly count: number
  readonly sentBytes: number
  readonly totalBytes: number
}

/** Returns how many bytes of an upload the object store has received. */
export const sentBytesOf = (upload: FileUpload): number => {
  if (upload.status === 'transferring') return upload.sentBytes
  return upload.status === 'verifying' || upload.status === 'scanning' ? upload.sizeBytes : 0
}

/** Adds the unfinished uploads to the number and the size of the finished ones. */
export function progressOf(
  uploads: readonly FileUpload[],
  finished: { readonly count: number; readonly bytes: number },
): UploadProgress {
  const sum = (bytesOf: (upload: FileUpload) => number) =>
    uploads.reduce((bytes, upload) => bytes + bytesOf(upload), finished.bytes)
  return {
    finishedCount: finished.count,
    count: finished.count + uploads.length,
    sentBytes: sum(sentBytesOf),
    totalBytes: sum(({ sizeBytes }) => sizeBytes),
  }
}

/** Removes control and format characters, which could disguise a file name. The service also removes them. */
export const shownName = (name: string): string => name.replace(/[\p{Cc}\p{Cf}]/gu, '')
