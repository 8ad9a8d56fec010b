import { sendBytes } from '../client/transfer.ts'
import type { Session } from '../session/session.ts'
import type { Attachment, PresignedUpload } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { UploadDrafts } from './upload-drafts.ts'
import { type FileUpload, shownName, type UploadState, type UploadStep } from './upload-state.ts'

/** One file on its way. */
export interface UploadJob {
  readonly key: string
  readonly file: File
  /** Aborted when the file is done, or not wanted any more, or its store ends. */
  readonly signal: AbortSignal
  readonly end: () => void
  state: UploadState
  /** Where the next attempt begins. */
  next: UploadStep
  attachmentId: string | null
  /** Where the bytes go. In memory alone: it is a credential. */
  target: PresignedUpload | null
  /** Until the user takes it back. */
  isWanted: boolean
}

export interface UploadStepsOptions {
  readonly session: Session
  readonly target: BusinessObjectReference
  readonly drafts: UploadDrafts
  readonly setState: (job: UploadJob, state: UploadState) => void
}

/** Each resolves with the attachment once it is ready, with null when there is more to do. */
type Steps = Readonly<Record<UploadStep, (job: UploadJob) => Promise<Attachment | null>>>

/** What is done for a file in each step. */
export function createUploadSteps(options: UploadStepsOptions) {
  const { session, target, drafts, setState } = options
  const { attachments } = session.client

  /**
   * Gives back a reservation that nobody will use; the right to upload is enough for that. A failure leaves it to expire
   * by itself, or leaves a file that has become ready where it is.
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
      // Not ended by a cancellation: a reservation that nobody knows of would take up room for a day.
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

/** Whether there is an address, and time left to use it. A clock that is wrong costs a reservation, no more. */
export const hasAddress = ({ target }: UploadJob): boolean =>
  target !== null && Date.parse(target.expiresAtUtc) > Date.now()

/** What is shown of it. */
export const viewOf = ({ key, file, state }: UploadJob): FileUpload => ({
  ...state,
  key,
  fileName: shownName(file.name),
  sizeBytes: file.size,
})
