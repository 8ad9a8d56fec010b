import type { KitError } from '../client/kit-error.ts'
import type { UploadStep } from './upload-state.ts'

/** Returns the step with which a failed upload resumes, or null if a retry would fail again. */
export function stepAfterFailure(step: UploadStep, { code, status }: KitError): UploadStep | null {
  const isTemporary = status === 0 || status === 401 || status === 409 || status === 429 || status >= 500
  // The object store refuses expired URLs, so request a new URL after any refusal.
  if (step === 'transferring') return isTemporary ? 'transferring' : 'reserving'
  if (code === 'attachments.upload_missing') return 'transferring'
  // The attachment was deleted or has expired, or its bytes differ from the declared ones. Make a new reservation.
  const isUnusable = step === 'verifying' && (status === 404 || status === 409)
  if (isUnusable && code.startsWith('attachments.')) return 'reserving'
  return isTemporary ? step : null
}
