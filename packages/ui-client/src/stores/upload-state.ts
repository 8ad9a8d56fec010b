import type { KitError } from '../client/kit-error.ts'

/** The way of a file: a place is reserved, its bytes go to the object store, the service verifies and seals them. */
export type UploadStep = 'reserving' | 'transferring' | 'verifying'

/**
 *     queued ──▶ reserving ──▶ transferring ──▶ verifying ──▶ (ready: in the list)
 *       ▲            └──────────────┴───────────────┴──▶ failed
 *       └──────────────────────retry────────────────────────┤
 *                           (a reload)──▶ interrupted ──────┘
 */
export type UploadState =
  | { readonly status: 'queued' | 'reserving' | 'verifying' }
  | { readonly status: 'transferring'; readonly sentBytes: number; readonly totalBytes: number }
  /** `canRetry`: another attempt may end otherwise; it goes on from the step that has to be done again. */
  | {
      readonly status: 'failed'
      readonly step: UploadStep
      readonly error: KitError
      readonly canRetry: boolean
    }
  /** Begun before the page was loaded, by the same user. Retrying goes on with it. */
  | { readonly status: 'interrupted' }

/** A file on its way. `fileName` is shown as the service will keep it. */
export type FileUpload = UploadState & {
  readonly key: string
  readonly fileName: string
  readonly sizeBytes: number
}

/** Where to go on after a step has failed; null when the same would happen again. */
export function stepAfterFailure(step: UploadStep, { code, status }: KitError): UploadStep | null {
  const mayPass = status === 0 || status === 401 || status === 409 || status === 429 || status >= 500
  // The store refuses an address that has expired; what else it refuses, a new one may not.
  if (step === 'transferring') return mayPass ? 'transferring' : 'reserving'
  if (code === 'attachments.upload_missing') return 'transferring'
  // What is said of the attachment itself: deleted, expired, or not the bytes that were declared. It cannot become a file any more.
  const isSpoilt = step === 'verifying' && (status === 404 || status === 409)
  if (isSpoilt && code.startsWith('attachments.')) return 'reserving'
  return mayPass ? step : null
}

/** A file's name without what could make it look like another: control and format characters, which are not kept either. */
export const shownName = (name: string): string => name.replace(/[\p{Cc}\p{Cf}]/gu, '')
