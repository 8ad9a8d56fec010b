import type { Client } from '../client/client.ts'
import { isKitError } from '../client/kit-error.ts'
import { isTransient } from '../client/retry.ts'
import { untilScanned } from '../client/until-scanned.ts'
import { wait as realWait, type Wait } from '../client/wait.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** The fields of an Uppy file that this module uses. */
interface UppyFileLike {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number | null
}

interface UploadedFile extends UppyFileLike {
  readonly error?: string | null
  readonly progress: { readonly bytesTotal: number | null }
  readonly response?: { readonly body?: Readonly<Record<string, unknown>> }
}

/** The part of Uppy's interface that this module uses. The page itself installs Uppy. */
interface UppyLike {
  getFile(id: string): UploadedFile | undefined
  setFileState(id: string, state: { progress: NotStarted }): void
  addPostProcessor(process: (fileIds: string[]) => Promise<void>): void
  /** The file and the response are Uppy's own values, which this module returns to Uppy unchanged. */
  emit(event: 'upload-error', file: never, error: Error, response: never): unknown
}

interface NotStarted {
  readonly uploadStarted: null
  readonly uploadComplete: false
  readonly bytesUploaded: false
  readonly bytesTotal: number | null
  readonly percentage: 0
}

/**
 * The ids of reserved attachments that are not ready, as far as this page knows. The service keeps those that are. Uppy derives the
 * id of a file from its name, type, size and date, so a file that is added again has the id of a file that is already an attachment.
 */
const unfinished = new Set<string>()

/** The options of `@uppy/aws-s3` (version 6) that select the destination of the bytes. A page can add other options. */
export interface UppyAwsS3Options {
  /** Always false, because each file is sent in one signed request. */
  readonly shouldUseMultipart: false
  readonly generateObjectKey: (file: UppyFileLike) => string
  readonly signRequest: (request: {
    readonly key: string
  }) => Promise<{ url: string; key: string; headers: Record<string, string> }>
}

/**
 * Returns options with which Uppy uploads files as attachments of a business object:
 *
 *     const uppy = new Uppy().use(AwsS3, uppyAwsS3Options(client, target))
 *     completeUppyUploads(uppy, client)
 *
 * Each file is reserved immediately before its bytes are sent. A repeated upload receives a new reservation.
 */
export function uppyAwsS3Options(client: Client, target: BusinessObjectReference): UppyAwsS3Options {
  const { attachments } = client
  /** Files by their Uppy id. Uppy uses this id as the file's key until `signRequest` returns the attachment's id. */
  const files = new Map<string, UppyFileLike>()
  const reserved = new Map<string, string>()
  return {
    shouldUseMultipart: false,
    generateObjectKey(file) {
      files.set(file.id, file)
      return file.id
    },
    async signRequest({ key: fileId }) {
      const file = files.get(fileId)
      if (file === undefined) throw new TypeError(`signRequest: unknown file key: ${fileId}`)
      const earlier = reserved.get(fileId)
      // A reservation that cannot be released expires automatically.
      if (earlier !== undefined && unfinished.delete(earlier))
        await attachments.delete(earlier, { unlessReady: true }).catch(() => {})
      const { attachment, upload } = await attachments.reserve({
        target,
        fileName: file.name,
        contentType: file.type,
        sizeBytes: file.size ?? 0,
      })
      reserved.set(fileId, attachment.id)
      unfinished.add(attachment.id)
      return { url: upload.url, key: attachment.id, headers: upload.headers }
    },
  }
}

const notStarted = {
  uploadStarted: null,
  uploadComplete: false,
  bytesUploaded: false,
  percentage: 0,
} as const

/** The reason to stop waiting for a scan: the user has removed the file, so Uppy no longer shows its upload. */
const removed = new Error('The file was removed during its scan')

/** Pages need no options; tests replace the timer. */
export interface CompleteUppyOptions {
  /** Waits until the next question whether the service has scanned a file. Tests can replace this function. Default: a timer. */
  readonly wait?: Wait
}

/**
 * Makes the service verify each file, and scan it if the service scans files, before Uppy reports the file as complete. If the
 * service refuses the file, Uppy emits `upload-error` and lists the file in `result.failed`. Then `retryAll()` repeats only the
 * verification after a temporary failure, and sends the bytes again after any other failure.
 */
export function completeUppyUploads(
  uppy: UppyLike,
  client: Client,
  { wait = realWait }: CompleteUppyOptions = {},
): void {
  const verify = async (fileId: string, attachmentId: string): Promise<void> => {
    const complete = () => client.attachments.complete(attachmentId)
    const { status } = await complete()
    if (status !== 'scanning') return
    await untilScanned(complete, async (ms) => {
      await wait(ms, undefined)
      if (uppy.getFile(fileId) === undefined) throw removed
    })
  }
  const complete = async (fileId: string): Promise<void> => {
    const file = uppy.getFile(fileId)
    const attachmentId = file?.response?.body?.['key']
    if (file === undefined || typeof attachmentId !== 'string' || file.error != null) return
    // Without a response, the attachment may be ready.
    unfinished.delete(attachmentId)
    try {
      await verify(fileId, attachmentId)
    } catch (error) {
      if (error === removed) return
      if (!isKitError(error)) throw error
      const { bytesTotal } = file.progress
      if (!isTransient(error)) {
        unfinished.add(attachmentId)
        // After a permanent refusal, the bytes must be sent again. Reset the progress, because Uppy skips sent files.
        uppy.setFileState(fileId, { progress: { ...notStarted, bytesTotal } })
      }
      uppy.emit('upload-error', file as never, error, file.response as never)
    }
  }
  uppy.addPostProcessor(async (fileIds) => {
    await Promise.all(fileIds.map(complete))
  })
}
