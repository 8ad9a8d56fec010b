import { atom, type ReadableAtom } from 'nanostores'
import type { Session } from '../session/session.ts'
import type { Attachment } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { perSession } from './per-session.ts'
import { outcome } from './store.ts'
import { holdUpload, newUploadKey, openUploadDrafts, type UploadDraft } from './upload-drafts.ts'
import { createQueue } from './upload-queue.ts'
import {
  type FileUpload,
  progressOf,
  stepAfterFailure,
  type UploadProgress,
  type UploadState,
  type UploadStep,
} from './upload-state.ts'
import { createUploadSteps, hasAddress, type UploadJob, viewOf } from './upload-steps.ts'

/** The unfinished uploads of one object in this tab. */
export interface Uploads {
  readonly $uploads: ReadableAtom<readonly FileUpload[]>
  readonly $progress: ReadableAtom<UploadProgress>
  /** The most recently finished upload. */
  readonly $arrived: ReadableAtom<Attachment | null>
  add(files: readonly File[]): void
  retry(key: string): void
  remove(key: string): void
}

/** Maximum number of concurrent uploads. Waiting files have no reservation yet. */
const maxAtOnce = 3

const queueOf = perSession(() => createQueue(maxAtOnce))
const noneFinished = { count: 0, bytes: 0 }

/** Runs the steps of each upload, and restores uploads that a reload of the page has interrupted. */
export function createUploads(session: Session, target: BusinessObjectReference): Uploads {
  const { signal } = session
  const $arrived = atom<Attachment | null>(null)
  const drafts = openUploadDrafts(session.drafts, target)
  const $uploads = atom<readonly FileUpload[]>([])
  const $progress = atom(progressOf([], noneFinished))
  const jobs = new Map<string, UploadJob>()
  let finished = noneFinished

  const show = () => {
    if (signal.aborted) return
    if (jobs.size === 0) finished = noneFinished
    const uploads = [...jobs.values()].map(viewOf)
    $progress.set(progressOf(uploads, finished))
    $uploads.set(uploads)
  }
  const setState = (job: UploadJob, state: UploadState) => {
    if (job.signal.aborted) return
    job.state = state
    show()
  }
  const empty = () => {
    $progress.set(progressOf([], noneFinished))
    $uploads.set([])
    $arrived.set(null)
  }
  signal.addEventListener('abort', empty, { once: true })
  const steps = createUploadSteps({ session, target, drafts, setState })

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
    drafts.forget(job.key)
    show()
  }

  /** Runs the remaining steps. After a failure, resumes with the required step. If that step has already run, fails. */
  const attempt = async (job: UploadJob): Promise<void> => {
    const done = new Set<UploadStep>()
    while (!job.signal.aborted) {
      if (job.next === 'transferring' && !done.has('reserving') && !hasAddress(job)) job.next = 'reserving'
      const step = job.next
      const result = await outcome(job.signal, steps[step](job))
      if (result === null) return
      done.add(step)
      if ('error' in result) {
        const next = stepAfterFailure(step, result.error)
        job.next = next ?? step
        if (next !== null && !done.has(next)) continue
        return setState(job, { status: 'failed', step, error: result.error, canRetry: next !== null })
      }
      if (result.value !== null) {
        finished = { count: finished.count + 1, bytes: finished.bytes + job.file.size }
        close(job)
        $arrived.set(result.value)
        return session.announce({ kind: 'content', target })
      }
      job.next = step === 'reserving' ? 'transferring' : 'verifying'
    }
  }
  const queue = queueOf(session)
  const enqueue = (job: UploadJob) => {
    setState(job, { status: 'queued' })
    queue(() => attempt(job))
  }

  const showInterrupted = ({ key, file, attachmentId }: UploadDraft) => {
    if (signal.aborted || jobs.has(key)) return
    const job = open(key, file, { status: 'interrupted' })
    job.attachmentId = attachmentId
    // The bytes may have arrived, so start with the verification.
    if (attachmentId !== null) job.next = 'verifying'
    show()
  }
  void drafts.find(signal, showInterrupted)

  return {
    $uploads,
    $progress,
    $arrived,
    add(files) {
      for (const file of signal.aborted ? [] : files) {
        const key = newUploadKey()
        drafts.keep(key, file)
        const job = open(key, file, { status: 'queued' })
        holdUpload(key, job.signal)
        enqueue(job)
      }
    },
    retry(key) {
      const job = jobs.get(key)
      if (job?.state.status === 'interrupted' || (job?.state.status === 'failed' && job.state.canRetry)) {
        enqueue(job)
      }
    },
    remove(key) {
      const job = jobs.get(key)
      if (job === undefined) return
      job.isWanted = false
      close(job)
      void steps.release(job)
    },
  }
}
