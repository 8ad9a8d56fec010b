import type { KitError } from '../client/kit-error.ts'
import type { UploadStep } from './upload-state.ts'

/** Whether the bytes of an upload are sent in one request or in parts. */
export type Transfer = 'whole' | 'parts'

/** Returns the step with which a failed upload resumes, or null if a retry would fail again. */
export function stepAfterFailure(
  step: UploadStep,
  { code, status }: KitError,
  transfer: Transfer,
): UploadStep | null {
  const isTemporary =
    status === 0 ||
    status === 401 ||
    status === 409 ||
    status === 429 ||
    status >= 500 ||
    // During an upgrade, a host of the previous release may answer.
    code === 'request.route_not_found' ||
    // The page of a proxy proves nothing about the upload.
    code === 'client.unexpected_response'
  if (code === 'client.transfer_failed') {
    // The object store refuses expired URLs, so request a new URL after any refusal. Each transfer of parts signs new URLs, so
    // keep the stored parts unless the store no longer knows the upload.
    const keepsReservation = isTemporary || (transfer === 'parts' && status !== 404)
    return keepsReservation ? 'transferring' : 'reserving'
  }
  if (code === 'attachments.upload_missing') return 'transferring'
  // The user must choose the file again.
  if (code === 'client.file_unreadable') return null
  // The file contains malware, so the service would refuse the same bytes again.
  if (code === 'attachments.quarantined') return null
  // Only the parts that differ must be sent again.
  const isRepairable = code === 'attachments.upload_changed' || code === 'attachments.size_mismatch'
  if (transfer === 'parts' && isRepairable) return 'transferring'
  // The attachment was deleted or has expired, or its bytes differ from the declared ones. Make a new reservation.
  const isUnusable = step !== 'reserving' && (status === 404 || status === 409)
  if (isUnusable && code.startsWith('attachments.')) return 'reserving'
  return isTemporary ? step : null
}
