import { sendBytes } from '../client/transfer.ts'
import type { Session } from '../session/session.ts'
import type { Attachment, PresignedUpload } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { UploadDrafts } from './upload-drafts.ts'
import { type FileUpload, shownName, type UploadState, type UploadStep } from './upload-state.ts'

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
  /** The destination of the bytes. It is kept only in memory, because it is a credential. */
  target: PresignedUpload | null
  /** False after the user has cancelled the upload. */
  isWanted: boolean
}

export interface UploadStepsOptions {
  readonly session: Session
  readonly target: BusinessObjectReference
  readonly drafts: UploadDrafts
  readonly setState: (job: UploadJob, state: UploadState) => void
}

/** The functions of the steps. Each function resolves with the attachment if it is ready, or with null if steps remain. */
type Steps = Readonly<Record<UploadStep, (job: UploadJob) => Promise<Attachment | null>>>

/** Creates the functions of the upload steps. */
export function createUploadSteps(options: UploadStepsOptions) {
  const { session, target, drafts, setState } = options
  const { attachments } = session.client

  /**
   * Releases an unused reservation, for which the permission to upload is sufficient. If the request fails, the reservation
   * expires automatically. A file that has already become ready is not deleted.
   */
  const release = async (job: UploadJob): Promise<void> => {
    const { attachmentId } = job
    job.attachmentId = null
    job.target = null
    if (attachmentId === null) return
    await attachments.delete(attachmentId, { signal: session.signal }).catch(() => {})
    if (job.signal.aborted) session.announce({ kind: 'content', target })
  }

  const steps: Steps = {
    async reserving(job) {
      setState(job, { status: 'reserving' })
      await release(job)
      if (job.signal.aborted) return null
      const { name: fileName, type: contentType, size: sizeBytes } = job.file
      // A cancellation does not abort this request: an unknown reservation would count against the limits for a day.
      const { signal } = session
      const reserved = await attachments.reserve({ target, fileName, contentType, sizeBytes, signal })
      job.attachmentId = reserved.attachment.id
      job.target = reserved.upload
      if (job.isWanted) drafts.reserved(job.key, job.attachmentId)
      else await release(job)
      return null
    },
    async transferring(job) {
      const totalBytes = job.file.size
      const onProgress = (sentBytes: number) =>
        setState(job, { status: 'transferring', sentBytes, totalBytes })
      onProgress(0)
      if (job.target !== null) await sendBytes(job.target, job.file, { signal: job.signal, onProgress })
      return null
    },
    async verifying(job) {
      setState(job, { status: 'verifying' })
      return attachments.complete(job.attachmentId ?? '', { signal: job.signal })
    },
  }
  return { ...steps, release }
}

/** Returns whether the upload has an unexpired URL. If the browser's clock is wrong, only a new reservation is needed. */
export const hasAddress = ({ target }: UploadJob): boolean =>
  target !== null && Date.parse(target.expiresAtUtc) > Date.now()

/** Returns the state of an upload as its readers see it. */
export const viewOf = ({ key, file, state }: UploadJob): FileUpload => ({
  ...state,
  key,
  fileName: shownName(file.name),
  sizeBytes: file.size,
  file,
})
