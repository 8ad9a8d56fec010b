import { atom, type ReadableAtom } from 'nanostores'
import { KitError } from '../client/kit-error.ts'
import { receiveBytes } from '../client/transfer.ts'
import type { Attachment } from '../wire/attachments.ts'
import type { AttachmentsStore } from './attachments.ts'
import { freeName } from './file-names.ts'
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

/** Creates the download of several files as one archive. It is cancelled when `signal` is aborted. */
export function createZipDownload(signal: AbortSignal, download: AttachmentsStore['download']): ZipDownload {
  const $state = atom<ZipState>({ status: 'idle' })
  let cancelling = new AbortController()
  const cancel = () => cancelling.abort()

  const load = async (file: Attachment, ending: AbortSignal, onProgress: (bytes: number) => void) => {
    const target = await download(file.id)
    ending.throwIfAborted()
    if (target === null || 'error' in target) throw target?.error ?? ending.reason
    return receiveBytes(target.url, { signal: ending, sizeBytes: file.sizeBytes, onProgress })
  }

  return {
    $state,
    cancel,
    async start(files, noteOn) {
      cancel()
      cancelling = new AbortController()
      const ending = AbortSignal.any([signal, cancelling.signal])
      ending.addEventListener('abort', () => $state.set({ status: 'idle' }), { once: true })
      const totalBytes = bytesOf(files)
      const failed: Attachment[] = []
      const names = new Set<string>()
      const show = (doneCount: number, receivedBytes: number) => {
        if (ending.aborted) return
        $state.set({ status: 'running', doneCount, count: files.length, receivedBytes, totalBytes })
      }
      const entries = async function* () {
        for (const [index, file] of files.entries()) {
          const before = bytesOf(files.slice(0, index))
          show(index, before)
          const loading = load(file, ending, (bytes) => show(index, before + bytes))
          const result = await outcome(ending, loading)
          if (result === null) throw ending.reason
          if ('error' in result) failed.push(file)
          else yield { name: entryName(file, names), input: result.value, lastModified: file.createdAtUtc }
        }
        if (failed.length > 0) yield noteOn(failed)
      }
      const packing = async (): Promise<Blob> => {
        const { makeZip } = await import('client-zip').catch((cause: unknown) => {
          throw new KitError({ code: 'client.unreachable', status: 0, detail: 'Not loaded.' }, { cause })
        })
        return new Response(makeZip(entries()), { headers: { 'Content-Type': 'application/zip' } }).blob()
      }
      show(0, 0)
      const packed = await outcome(ending, packing())
      if (packed === null) return null
      const missing = 'error' in packed ? files : failed
      $state.set({ status: 'done', count: files.length, failed: missing })
      return 'value' in packed && missing.length < files.length ? packed.value : null
    },
  }
}

const bytesOf = (files: readonly Attachment[]): number =>
  files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0)

/** Returns a name that is unique in the archive, also on systems that ignore case, and that contains no folder. */
function entryName({ fileName }: Attachment, names: Set<string>): string {
  const name = freeName(fileName.replace(/[\\/]/g, '_'), (one) => names.has(one.toLowerCase()))
  names.add(name.toLowerCase())
  return name
}
