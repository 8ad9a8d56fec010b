import { KitError } from '../client/kit-error.ts'
import { sendBytes } from '../client/transfer.ts'
import type { Session } from '../session/session.ts'
import type { Attachment } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { releaseUpload } from './release-upload.ts'
import type { UploadDrafts } from './upload-drafts.ts'
import type { UploadJob } from './upload-job.ts'
import { isLarge, sendParts } from './upload-parts.ts'
import type { UploadState, UploadStep } from './upload-state.ts'

export interface UploadStepsOptions {
  readonly session: Session
  readonly target: BusinessObjectReference
  readonly drafts: UploadDrafts
  readonly setState: (job: UploadJob, state: UploadState) => void
}

/** The functions of the steps. Each function resolves with the attachment if it is verified, or with null if steps remain. */
export type Steps = Readonly<Record<UploadStep, (job: UploadJob) => Promise<Attachment | null>>>

/** Creates the functions of the upload steps. */
export function createUploadSteps({ session, target, drafts, setState }: UploadStepsOptions): Steps {
  const { attachments } = session.client
  return {
    async reserving(job) {
      setState(job, { status: 'reserving' })
      await releaseUpload(job, session, target)
      if (job.signal.aborted) return null
      const { name: fileName, type: contentType, size: sizeBytes } = job.file
      // A cancellation does not abort this request: an unknown reservation would count against the limits for a day.
      const { signal } = session
      const multipart = isLarge(job.file)
      const file = { fileName, contentType, sizeBytes, multipart }
      const { attachment, upload } = await attachments.reserve({ target, ...file, signal })
      job.attachmentId = attachment.id
      job.target = upload.method === 'PUT' ? upload : null
      if (job.isWanted) drafts.reserved(job.key, job.attachmentId)
      else await releaseUpload(job, session, target)
      return null
    },
    async transferring(job) {
      const totalBytes = job.file.size
      const onProgress = (sentBytes: number) =>
        setState(job, { status: 'transferring', sentBytes, totalBytes })
      onProgress(0)
      try {
        if (job.target === null) await sendParts(job, { session, onProgress })
        else await sendBytes(job.target, job.file, { signal: job.signal, onProgress })
      } catch (error) {
        await requireReadable(job.file)
        throw error
      }
      return null
    },
    async verifying(job) {
      setState(job, { status: 'verifying' })
      return attachments.complete(job.attachmentId ?? '', { signal: job.signal })
    },
  }
}

/**
 * Rejects if the browser refuses to read a file, because it has changed since the user chose it. The browser reports a transfer of
 * such a file like a lost connection.
 */
async function requireReadable(file: File): Promise<void> {
  try {
    // A part of an empty file is read from memory.
    await (file.size === 0 ? file : file.slice(0, 1)).arrayBuffer()
  } catch (cause) {
    const detail =
      'The file cannot be read. It may have been changed, moved or deleted after you chose it. Choose it again.'
    throw new KitError({ code: 'client.file_unreadable', detail }, { cause })
  }
}
