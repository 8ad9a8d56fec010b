import type { ReadableAtom } from 'nanostores'
import { onDemand } from '../client/on-demand.ts'
import type { Session } from '../session/session.ts'
import type { Attachment } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { RunningUploads } from './running-uploads.ts'
import { openState, openStore, outcome } from './store.ts'
import type { UploadDraft } from './upload-drafts.ts'
import { newUploadKey, type UploadJob } from './upload-job.ts'
import {
  type FileUpload,
  progressOf,
  shownName,
  type UploadProgress,
  type UploadState,
} from './upload-state.ts'

/** The unfinished uploads of one object in this tab. */
export interface Uploads {
  readonly $uploads: ReadableAtom<readonly FileUpload[]>
  readonly $progress: ReadableAtom<UploadProgress>
  /** The most recently finished upload. */
  readonly $arrived: ReadableAtom<Attachment | null>
  add(files: readonly File[]): void
  retry(key: string): void
  remove(key: string): void
  /** Returns whether the object has no upload, also none that a reload has interrupted. */
  isEmpty(): boolean
  dispose(): void
}

/** The part that runs uploads. It is loaded with the store, because it finds interrupted uploads. */
export const runningUploads = onDemand(() => import('./running-uploads.ts'))
const noneFinished = { count: 0, bytes: 0 }

/** Keeps the files of an object's uploads, and restores uploads that a reload of the page has interrupted. */
export function createUploads(
  session: Session,
  target: BusinessObjectReference,
  load: typeof runningUploads.load,
): Uploads {
  const { $state: $uploads, set: setUploads, signal, dispose } = openStore<readonly FileUpload[]>(session, [])
  const { $state: $arrived, set: setArrived } = openState<Attachment | null>(signal, null)
  const { $state: $progress, set: setProgress } = openState(signal, progressOf([], noneFinished))
  const jobs = new Map<string, UploadJob>()
  let finished = noneFinished
  let mayBeInterrupted = true

  const show = () => {
    if (jobs.size === 0) finished = noneFinished
    const uploads = [...jobs.values()].map(viewOf)
    setProgress(progressOf(uploads, finished))
    setUploads(uploads)
  }
  const setState = (job: UploadJob, state: UploadState) => {
    if (job.signal.aborted) return
    job.state = state
    show()
  }

  const open = (key: string, file: File, state: UploadState): UploadJob => {
    const ending = new AbortController()
    const job: UploadJob = {
      key,
      file,
      signal: AbortSignal.any([signal, ending.signal]),
      end: () => ending.abort(),
      state,
      next: 'reserving',
      attachmentId: null,
      target: null,
      isWanted: true,
    }
    jobs.set(key, job)
    return job
  }
  const close = (job: UploadJob) => {
    job.end()
    jobs.delete(job.key)
    void running((all) => all.forget(job.key))
    show()
  }

  const finish = (job: UploadJob, attachment: Attachment) => {
    finished = { count: finished.count + 1, bytes: finished.bytes + job.file.size }
    close(job)
    setArrived(attachment)
    session.announce({ kind: 'content', target })
  }
  let opened: RunningUploads | null = null
  /**
   * Uses the part that runs uploads, in the order of the calls. The first use finds the uploads that a reload has interrupted.
   * Resolves with an error if the part cannot be loaded.
   */
  const running = (use: (running: RunningUploads) => unknown) =>
    outcome(
      signal,
      load().then(({ openRunningUploads }) => {
        if (opened === null) {
          opened = openRunningUploads({ session, target, setState, finish })
          mayBeInterrupted = true
          void opened.find(showInterrupted).then((areFound) => {
            mayBeInterrupted = areFound
          })
        }
        use(opened)
      }),
    )
  const enqueue = async (job: UploadJob): Promise<void> => {
    setState(job, { status: 'queued' })
    const result = await running((all) => all.run(job))
    if (result !== null && 'error' in result) {
      setState(job, { status: 'failed', step: job.next, error: result.error, canRetry: true })
    }
  }

  const showInterrupted = ({ key, file, attachmentId, status }: UploadDraft) => {
    if (signal.aborted || jobs.has(key)) return
    const job = open(key, file, { status })
    job.attachmentId = attachmentId
    // The bytes may have arrived, so start with the verification.
    if (attachmentId !== null) job.next = 'verifying'
    show()
    if (status === 'scanning') void running((all) => all.follow(job))
  }
  void running(() => {}).then((result) => {
    // The next store of this object searches again.
    if (result !== null && 'error' in result) mayBeInterrupted = false
  })

  return {
    $uploads,
    $progress,
    $arrived,
    add(files) {
      for (const file of signal.aborted ? [] : files) {
        const key = newUploadKey()
        const job = open(key, file, { status: 'queued' })
        void enqueue(job)
      }
    },
    retry(key) {
      const job = jobs.get(key)
      if (job?.state.status === 'interrupted' || (job?.state.status === 'failed' && job.state.canRetry)) {
        void enqueue(job)
      }
    },
    remove(key) {
      const job = jobs.get(key)
      if (job === undefined) return
      job.isWanted = false
      close(job)
      // Only the part that runs uploads makes reservations. If it is not loaded, nothing must be released.
      void running((all) => all.release(job))
    },
    isEmpty: () => jobs.size === 0 && !mayBeInterrupted,
    dispose,
  }
}

/** Returns the state of an upload as its readers see it. */
const viewOf = ({ key, file, state }: UploadJob): FileUpload => ({
  ...state,
  key,
  fileName: shownName(file.name),
  sizeBytes: file.size,
  file,
})
