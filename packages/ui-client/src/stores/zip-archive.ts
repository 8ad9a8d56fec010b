import { makeZip } from 'client-zip'
import { KitError } from '../client/kit-error.ts'
import { receiveBytes } from '../client/transfer.ts'
import type { Attachment } from '../wire/attachments.ts'
import type { AttachmentsStore } from './attachments.ts'
import { freeName } from './file-names.ts'
import { outcome } from './store.ts'
import type { ZipDownload } from './zip-download.ts'

export interface PackOptions {
  readonly signal: AbortSignal
  readonly download: AttachmentsStore['download']
  /** Returns a text file that names the files that are not in the archive. */
  readonly noteOn: Parameters<ZipDownload['start']>[1]
  readonly show: (doneCount: number, receivedBytes: number) => void
}

/** After this time without a byte, a file counts as failed, as in an upload. Browsers would wait without an end. */
const stalledMs = 60_000

/** Returns a signal that is aborted with `signal`, or if `watch` is not called for {@link stalledMs}. */
function stallOf(signal: AbortSignal) {
  const stalled = new AbortController()
  const end = () =>
    stalled.abort(new KitError({ code: 'client.transfer_failed', detail: 'The object store sends nothing.' }))
  let timer = setTimeout(end, stalledMs)
  return {
    signal: AbortSignal.any([signal, stalled.signal]),
    watch() {
      clearTimeout(timer)
      timer = setTimeout(end, stalledMs)
    },
    stop: () => clearTimeout(timer),
  }
}

/** Loads the files one after another and packs them without compression. Rejects with the signal's reason when it is aborted. */
export async function packFiles(
  files: readonly Attachment[],
  { signal, download, noteOn, show }: PackOptions,
): Promise<{ readonly archive: Blob; readonly failed: readonly Attachment[] }> {
  const failed: Attachment[] = []
  const names = new Set<string>()
  const load = async (file: Attachment, onProgress: (bytes: number) => void) => {
    const target = await download(file.id)
    signal.throwIfAborted()
    if (target === null || 'error' in target) throw target?.error ?? signal.reason
    const stall = stallOf(signal)
    const received = receiveBytes(target.url, {
      ...{ signal: stall.signal, sizeBytes: file.sizeBytes },
      onProgress(bytes) {
        stall.watch()
        onProgress(bytes)
      },
    })
    return received.finally(stall.stop)
  }
  const entries = async function* () {
    let before = 0
    for (const [index, file] of files.entries()) {
      const receivedBytes = before
      show(index, receivedBytes)
      const loading = load(file, (bytes) => show(index, receivedBytes + bytes))
      const result = await outcome(signal, loading)
      if (result === null) throw signal.reason
      if ('error' in result) failed.push(file)
      else
        yield { name: entryName(file.fileName, names), input: result.value, lastModified: file.createdAtUtc }
      before += file.sizeBytes
    }
    if (failed.length === 0) return
    const note = noteOn(failed)
    yield { name: entryName(note.name, names), input: note }
  }
  const headers = { 'Content-Type': 'application/zip' }
  return { archive: await new Response(makeZip(entries()), { headers }).blob(), failed }
}

/** Returns a name that is unique in the archive, also on systems that ignore case, and that contains no folder. */
function entryName(fileName: string, names: Set<string>): string {
  const name = freeName(fileName.replace(/[\\/]/g, '_'), (one) => names.has(one.toLowerCase()))
  names.add(name.toLowerCase())
  return name
}
