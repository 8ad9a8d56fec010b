import { atom, type ReadableAtom } from 'nanostores'
import { onDemand } from '../client/on-demand.ts'
import type { Attachment } from '../wire/attachments.ts'
import type { AttachmentsStore } from './attachments.ts'
import { outcome } from './store.ts'

/** The state of a download of several files. A cancelled download is `idle` again. */
export type ZipState =
  | { readonly status: 'idle' }
  | {
      readonly status: 'running'
      /** The number of files that are in the archive or have failed. */
      readonly doneCount: number
      readonly count: number
      readonly receivedBytes: number
      readonly totalBytes: number
    }
  /** `failed`: the files that are not in the archive. If it has all files, there is no archive. */
  | { readonly status: 'done'; readonly count: number; readonly failed: readonly Attachment[] }

export interface ZipDownload {
  readonly $state: ReadableAtom<ZipState>
  /**
   * Loads the files one after another and packs them without compression. Resolves with the archive, or with null after a
   * cancellation or if no file could be loaded. If some files fail, `noteOn` returns a text file that names them: the
   * archive contains it, so that its next reader also knows.
   */
  start(files: readonly Attachment[], noteOn: (failed: readonly Attachment[]) => File): Promise<Blob | null>
  /** Cancels the download, or hides the result of the last one. */
  cancel(): void
}

const zipArchive = onDemand(() => import('./zip-archive.ts'))

/** Creates the download of several files as one archive. It is cancelled when `signal` is aborted. */
export function createZipDownload(signal: AbortSignal, download: AttachmentsStore['download']): ZipDownload {
  const $state = atom<ZipState>({ status: 'idle' })
  let cancelling = new AbortController()
  const cancel = () => cancelling.abort()

  return {
    $state,
    cancel,
    async start(files, noteOn) {
      cancel()
      cancelling = new AbortController()
      const ending = AbortSignal.any([signal, cancelling.signal])
      ending.addEventListener('abort', () => $state.set({ status: 'idle' }))
      const count = files.length
      const totalBytes = files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0)
      const show = (doneCount: number, receivedBytes: number) => {
        if (!ending.aborted) $state.set({ status: 'running', doneCount, count, receivedBytes, totalBytes })
      }
      show(0, 0)
      const packing = zipArchive
        .load()
        .then(({ packFiles }) => packFiles(files, { signal: ending, download, noteOn, show }))
      const packed = await outcome(ending, packing)
      if (packed === null) return null
      const failed = 'error' in packed ? files : packed.value.failed
      $state.set({ status: 'done', count, failed })
      return 'value' in packed && failed.length < count ? packed.value.archive : null
    },
  }
}
