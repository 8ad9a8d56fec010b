import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import { isSameTarget, type Session } from '../session/session.ts'
import type { Attachment, Download } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { type Deletion, type DeletionState, deletionsOf } from './deletions.ts'
import { createPagedList, type ListState } from './paged-list.ts'
import { uploadsOf } from './session-uploads.ts'
import { openState, openStore, outcome } from './store.ts'
import type { FileUpload, UploadProgress } from './upload-state.ts'

/** The files of one object, and the user's unfinished uploads to this object. */
export interface AttachmentsStore {
  /** The ready files, newest first. */
  readonly $list: ReadableAtom<ListState<Attachment>>
  /**
   * The unfinished uploads, in the order in which the user added them. Uploads belong to the session, so they continue
   * after this store is disposed. After a reload of the page, they reappear as interrupted uploads.
   */
  readonly $uploads: ReadableAtom<readonly FileUpload[]>
  /** The progress of all uploads together. It includes the files that were uploaded since `$uploads` was last empty. */
  readonly $progress: ReadableAtom<UploadProgress>
  /** The latest file that was uploaded since the store was opened, or null. */
  readonly $arrived: ReadableAtom<Attachment | null>
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Uploads files, at most three at a time. */
  add(files: readonly File[]): void
  /** Resumes a failed or interrupted upload, starting with the step that must be repeated. */
  retry(key: string): void
  /** Cancels an upload in any state and releases its reservation. A file that is already ready stays, and appears in the list. */
  cancel(key: string): void
  /** Removes a failed or interrupted upload and releases its reservation. */
  dismiss(key: string): void
  /** Resolves with a short-lived URL of the file or with the error. Resolves with null if the store has ended. */
  download(id: string): Promise<Download | { readonly error: KitError } | null>
  /** Hides a file, and deletes it after 8 seconds. */
  delete(id: string): Deletion
  /** The deletions of files, by id. A failed one has an error, and its file is in the list again. */
  readonly $deletions: ReadableAtom<ReadonlyMap<string, DeletionState>>
  dispose(): void
}

/** Number of files per page of the list: the service's default limit of files per object, so one page has all of them. */
const pageSize = 100

/** Opens the store of an object's attachments. Loads, uploads and deletions can run concurrently. */
export function attachmentsStore(session: Session, target: BusinessObjectReference): AttachmentsStore {
  const { attachments } = session.client
  const { signal, dispose } = openStore(session, null)
  const { $state: $arrived, set: setArrived } = openState<Attachment | null>(signal, null)
  const list = createPagedList<Attachment>({
    signal,
    pageSize,
    fetchPage: (page) => attachments.list({ target, ...page }),
  })

  session.listen((change) => {
    const isOther = change.kind === 'object' && isSameTarget(change.target, target)
    if (isOther && list.$list.get().status !== 'idle') void list.refresh()
  }, signal)
  const uploads = uploadsOf(session, target, signal)
  const deletions = deletionsOf(session)
  const follow = (arrived: Attachment | null) => {
    if (signal.aborted || arrived === null) return
    setArrived(arrived)
    list.change((files) => inOrder([arrived, ...files.filter(({ id }) => id !== arrived.id)]))
  }
  signal.addEventListener('abort', uploads.$arrived.listen(follow))

  return {
    $list: deletions.without(list.$list, signal),
    $deletions: deletions.$states,
    $uploads: uploads.$uploads,
    $progress: uploads.$progress,
    $arrived,
    load: list.load,
    loadMore: list.loadMore,
    add: uploads.add,
    retry: uploads.retry,
    cancel: uploads.remove,
    dismiss: uploads.remove,
    async download(id) {
      // The download continues after the user has closed the list.
      const { signal } = session
      const result = await outcome(signal, attachments.download(id, { signal }))
      if (result === null || 'value' in result) return result?.value ?? null
      // Another user has deleted the file, so the list is outdated.
      if (result.error.code === 'attachments.deleted') void list.load()
      return result
    },
    // Without a signal, the deletion continues after the end of the session.
    delete: (id) => deletions.begin(id, () => attachments.delete(id), { kind: 'attachments', target }),
    dispose,
  }
}

/** Sorts files by id, newest first, like the service. An id begins with the time of the reservation. */
const inOrder = (files: readonly Attachment[]): readonly Attachment[] =>
  files.toSorted((one, other) => (one.id < other.id ? 1 : -1))
