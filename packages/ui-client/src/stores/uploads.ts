import { atom, type ReadableAtom } from 'nanostores'
import { newIdempotencyKey } from '../client/documents.ts'
import type { Session } from '../session/session.ts'
import type { Attachment, UploadTarget } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { openStore, outcome } from './store.ts'
import { alone, openUploadDrafts } from './upload-drafts.ts'
import { createQueue } from './upload-queue.ts'
import {
  type FileUpload,
  shownName,
  stepAfterFailure,
  type UploadState,
  type UploadStep,
} from './upload-state.ts'
import { createUploadSteps, type UploadJob } from './upload-steps.ts'

/** The uploads of one object, by this user in this tab. */
export interface Uploads {
  readonly $uploads: ReadableAtom<readonly FileUpload[]>
  add(files: readonly File[]): void
  retry(key: string): void
  remove(key: string): void
  dispose(): void
}

/** Files on their way at once; the others wait, and reserve nothing yet. */
const maxAtOnce = 3

/** Takes files through their steps, and finds those again that a reload has interrupted. */
export function createUploads(
  session: Session,
  target: BusinessObjectReference,
  onReady: (attachment: Attachment) => void,
): Uploads {
  const { signal, dispose } = openStore(session, null)
  const drafts = openUploadDrafts(session.drafts, target)
  const $uploads = atom<readonly FileUpload[]>([])
  const jobs = new Map<string, UploadJob>()

  const show = () => {
    if (!signal.aborted) $uploads.set([...jobs.values()].map(view))
  }
  const setState = (job: UploadJob, state: UploadState) => {
    if (job.signal.aborted) return
    job.state = state
    show()
  }
  signal.addEventListener('abort', () => $uploads.set([]), { once: true })
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

  /** A step that has to be done again is, unless this attempt has done it: then what failed is the user's to know. */
  const attempt = async (job: UploadJob): Promise<void> => {
    const done = new Set<UploadStep>()
    while (!job.signal.aborted) {
      if (job.next === 'transferring' && !done.has('reserving') && !isCurrent(job.target))
        job.next = 'reserving'
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
        close(job)
        return onReady(result.value)
      }
      job.next = step === 'reserving' ? 'transferring' : 'verifying'
    }
  }
  const queue = createQueue(maxAtOnce, attempt)
  const enqueue = (job: UploadJob) => {
    setState(job, { status: 'queued' })
    queue(job)
  }

  const findInterrupted = async () => {
    for (const { key } of await drafts.all()) {
      if (!jobs.has(key)) alone(key, signal, () => void showInterrupted(key))
    }
  }
  const showInterrupted = async (key: string) => {
    // The tab that had it may have brought it to an end meanwhile.
    const draft = (await drafts.all()).find((one) => one.key === key)
    if (draft === undefined || signal.aborted || jobs.has(key)) return
    const job = open(key, draft.file, { status: 'interrupted' })
    job.attachmentId = draft.attachmentId
    // The bytes may have arrived: the service knows.
    if (draft.attachmentId !== null) job.next = 'verifying'
    show()
  }
  void findInterrupted()

  return {
    $uploads,
    dispose,
    add(files) {
      for (const file of signal.aborted ? [] : files) {
        // Begins with the time, so that they are found in the order in which they were added.
        const key = `${Date.now().toString(36)}-${newIdempotencyKey()}`
        drafts.keep(key, file)
        const job = open(key, file, { status: 'queued' })
        alone(key, job.signal, () => {})
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

/** Whether there is an address, and time left to use it. A clock that is wrong costs a reservation, no more. */
const isCurrent = (target: UploadTarget | null): boolean =>
  target !== null && Date.parse(target.expiresAtUtc) > Date.now()

const view = ({ key, file, state }: UploadJob): FileUpload => ({
  ...state,
  key,
  fileName: shownName(file.name),
  sizeBytes: file.size,
})
