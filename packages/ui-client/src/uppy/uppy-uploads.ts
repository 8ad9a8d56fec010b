import type { Client } from '../client/client.ts'
import { isKitError } from '../client/kit-error.ts'
import { isTransient } from '../client/retry.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** What is asked of one of Uppy's files. */
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

/** What is asked of an Uppy: the packages of Uppy are the page's own. */
interface UppyLike {
  getFile(id: string): UploadedFile | undefined
  setFileState(id: string, state: { progress: NotStarted }): void
  addPostProcessor(process: (fileIds: string[]) => Promise<void>): void
  /** File and response are of Uppy's own types, handed back as they came. */
  emit(event: 'upload-error', file: never, error: Error, response: never): unknown
}

interface NotStarted {
  readonly uploadStarted: null
  readonly uploadComplete: false
  readonly bytesUploaded: false
  readonly bytesTotal: number | null
  readonly percentage: 0
}

/** The options of `@uppy/aws-s3` (6) that say where bytes go; others can be added beside them. */
export interface UppyAwsS3Options {
  /** One signed request a file. */
  readonly shouldUseMultipart: false
  readonly generateObjectKey: (file: UppyFileLike) => string
  readonly signRequest: (request: {
    readonly key: string
  }) => Promise<{ url: string; key: string; headers: Record<string, string> }>
}

/**
 * Has Uppy upload to an object's attachments:
 *
 *     const uppy = new Uppy().use(AwsS3, uppyAwsS3Options(client, target))
 *     completeUppyUploads(uppy, client)
 *
 * Each file is reserved just before its bytes are sent. A file that is sent again is reserved anew.
 */
export function uppyAwsS3Options(client: Client, target: BusinessObjectReference): UppyAwsS3Options {
  const { attachments } = client
  /** Uppy's key for a file is its id; the service's, once it has one, the attachment's. */
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
      if (file === undefined) throw new TypeError('signRequest: this key is of no file that Uppy has named')
      const earlier = reserved.get(fileId)
      // A reservation that cannot be given back expires by itself.
      if (earlier !== undefined) await attachments.delete(earlier).catch(() => {})
      const { attachment, upload } = await attachments.reserve({
        target,
        fileName: file.name,
        contentType: file.type,
        sizeBytes: file.size ?? 0,
      })
      reserved.set(fileId, attachment.id)
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

/**
 * Has the service verify what Uppy has sent, before Uppy calls it complete. A file that is refused has failed: Uppy's
 * `upload-error`, its `result.failed`, and its `retryAll()`, which sends it anew where verifying it again would not do.
 */
export function completeUppyUploads(uppy: UppyLike, client: Client): void {
  const complete = async (fileId: string): Promise<void> => {
    const file = uppy.getFile(fileId)
    const attachmentId = file?.response?.body?.['key']
    if (file === undefined || typeof attachmentId !== 'string' || file.error != null) return
    try {
      await client.attachments.complete(attachmentId)
    } catch (error) {
      if (!isKitError(error)) throw error
      const { bytesTotal } = file.progress
      // What cannot pass by itself needs the bytes again: Uppy sends what was never begun, and skips what has arrived.
      if (!isTransient(error)) uppy.setFileState(fileId, { progress: { ...notStarted, bytesTotal } })
      uppy.emit('upload-error', file as never, error, file.response as never)
    }
  }
  uppy.addPostProcessor(async (fileIds) => {
    await Promise.all(fileIds.map(complete))
  })
}
