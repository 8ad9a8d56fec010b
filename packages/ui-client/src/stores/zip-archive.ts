import { makeZip } from 'client-zip'
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
    return receiveBytes(target.url, { signal, sizeBytes: file.sizeBytes, onProgress })
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
