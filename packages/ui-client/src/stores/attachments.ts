import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { Session } from '../session/session.ts'
import type { Attachment, Download } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { createPagedList, type ListState } from './paged-list.ts'
import { openStore, outcome } from './store.ts'
import type { FileUpload } from './upload-state.ts'
import { uploadsOf } from './uploads.ts'

/** The files of one object, and those that the user is uploading to it. */
export interface AttachmentsStore {
  /** Files that are ready, newest first. */
  readonly $list: ReadableAtom<ListState<Attachment>>
  /**
   * Files on their way, in the order in which they were added. They are the session's: they go on when this store has ended,
   * and outlive a reload as interrupted ones.
   */
  readonly $uploads: ReadableAtom<readonly FileUpload[]>
  /** The upload that became ready last, while the store has been there. */
  readonly $arrived: ReadableAtom<Attachment | null>
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Uploads files, a few at a time. */
  add(files: readonly File[]): void
  /** Goes on with an upload that has failed or was interrupted, from the step that has to be done again. */
  retry(key: string): void
  /** Ends an upload, in whatever state, and gives its reservation back. */
  cancel(key: string): void
  /** The same, for one that has failed or was interrupted. */
  dismiss(key: string): void
  /** Resolves with an address to fetch the file from, good for a short time; null when the store has ended meanwhile. */
  download(id: string): Promise<Download | { readonly error: KitError } | null>
  /** Deletes a file. Resolves with what went wrong, or null. */
  delete(id: string): Promise<KitError | null>
  dispose(): void
}

/** How many files a page of the list holds. */
const pageSize = 25

/** Attachments of an object. What happens while a list is loading, or an upload under way, is settled here. */
export function attachmentsStore(session: Session, target: BusinessObjectReference): AttachmentsStore {
  const { attachments } = session.client
  const { signal, dispose } = openStore(session, null)
  const $arrived = atom<Attachment | null>(null)
  signal.addEventListener('abort', () => $arrived.set(null), { once: true })
  const list = createPagedList<Attachment>({
    signal,
    pageSize,
    fetchPage: (page) => attachments.list({ target, ...page }),
  })

  const uploads = uploadsOf(session, target)
  const follow = (arrived: Attachment | null) => {
    if (signal.aborted || arrived === null) return
    $arrived.set(arrived)
    list.change((files) => inOrder([arrived, ...files.filter(({ id }) => id !== arrived.id)]))
  }
  signal.addEventListener('abort', uploads.$arrived.listen(follow), { once: true })

  return {
    $list: list.$list,
    $uploads: uploads.$uploads,
    $arrived,
    load: list.load,
    loadMore: list.loadMore,
    add: uploads.add,
    retry: uploads.retry,
    cancel: uploads.remove,
    dismiss: uploads.remove,
    async download(id) {
      const result = await outcome(signal, attachments.download(id, { signal }))
      if (result === null || 'value' in result) return result?.value ?? null
      // Somebody else was faster: the list is not what it was.
      if (result.error.code === 'attachments.deleted') void list.load()
      return result
    },
    async delete(id) {
      // Done also when the panel it was asked at has gone.
      const result = await outcome(session.signal, attachments.delete(id, { signal: session.signal }))
      if (result === null) return null
      if ('error' in result) return result.error
      list.change((files) => files.filter((file) => file.id !== id))
      session.announce({ kind: 'content', target })
      return null
    },
    dispose,
  }
}

/** As the service lists them: by id, which begins with the time of the reservation. */
const inOrder = (files: readonly Attachment[]): readonly Attachment[] =>
  files.toSorted((one, other) => (one.id < other.id ? 1 : -1))
