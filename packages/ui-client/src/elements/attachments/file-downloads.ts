import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import type { AttachmentsStore } from '../../stores/attachments.ts'
import { createZipDownload, type ZipState } from '../../stores/zip-download.ts'
import type { Attachment } from '../../wire/attachments.ts'
import { saveFile } from '../parts/save-file.ts'
import { startDownload } from '../parts/start-download.ts'
import type { TextsOf } from '../texts.ts'
import { type FilesView, filesIn } from './files-view.ts'
import { listOfMissing } from './list-of-missing.ts'

/** The downloads of the files of one object. */
export interface FileDownloads {
  /** The state of the archive of several files. */
  readonly $zip: ReadableAtom<ZipState>
  /** The reason why the last file could not be downloaded. */
  readonly $failure: ReadableAtom<KitError | null>
  /** Downloads one file, or several as one archive. */
  start(files: readonly Attachment[]): Promise<void>
  /** Downloads all files of a view, also those on pages that are not loaded yet. */
  startAll(view: FilesView): void
  /** Cancels the archive. */
  cancel(): void
}

/** Opens the downloads of the files of a store. They end with the store. */
export function openDownloads(
  session: Session,
  store: AttachmentsStore,
  texts: () => TextsOf<'attachments'>['attachments'],
): FileDownloads {
  const zip = createZipDownload(session.signal, store.download)
  const $failure = atom<KitError | null>(null)
  /** The files that the user downloads as soon as all pages are loaded. */
  let wanted: FilesView | null = null

  const startOne = async ({ id }: Attachment) => {
    $failure.set(null)
    const download = await store.download(id)
    if (download === null) return
    if ('error' in download) $failure.set(download.error)
    else startDownload(download.url, $failure.set)
  }
  const start = async (files: readonly Attachment[]) => {
    const [first, second] = files
    if (first !== undefined && second === undefined) {
      // Hides the result of the last archive. One that is running continues.
      if (zip.$state.get().status === 'done') zip.cancel()
      return startOne(first)
    }
    const archive = await zip.start(files, (failed) => listOfMissing(failed, texts()))
    if (archive !== null) saveFile(archive, texts().archiveName)
  }
  const loadRest = () => {
    const { status, hasMore, items } = store.$list.get()
    if (wanted === null) return
    // The end of the list shows the failure, and offers another attempt.
    if (/failed/i.test(status)) wanted = null
    else if (status === 'ready') {
      if (hasMore) return void store.loadMore()
      const files = filesIn(wanted, items)
      wanted = null
      void start(files)
    }
  }
  store.$list.listen(loadRest)
  return {
    $zip: zip.$state,
    $failure,
    start,
    startAll(view) {
      wanted = view
      // Tries again what has failed.
      void store.loadMore()
      loadRest()
    },
    cancel: zip.cancel,
  }
}
