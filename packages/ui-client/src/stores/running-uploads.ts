import type { KitError } from '../client/kit-error.ts'
import { untilScanned } from '../client/until-scanned.ts'
import type { Session } from '../session/session.ts'
import type { Attachment } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { perSession } from './per-session.ts'
import { releaseUpload } from './release-upload.ts'
import { stepAfterFailure } from './step-after-failure.ts'
import { outcome } from './store.ts'
import { holdUpload, openUploadDrafts, type UploadDraft, type UploadDrafts } from './upload-drafts.ts'
import type { UploadJob } from './upload-job.ts'
import { isExpired, isLarge } from './upload-parts.ts'
import { createQueue } from './upload-queue.ts'
import type { UploadState, UploadStep } from './upload-state.ts'
import { createUploadSteps, type Steps } from './upload-steps.ts'

export { findInterrupted } from './upload-drafts.ts'

export interface RunningUploadsInput {
  readonly session: Session
  readonly target: BusinessObjectReference
  readonly setState: (job: UploadJob, state: UploadState) => void
  /** Called with the attachment after the last step. */
  readonly finish: (job: UploadJob, attachment: Attachment) => void
}

/** Runs the uploads of one object, and keeps their files for a reload of the page. */
export interface RunningUploads {
  /** Finds the uploads that a reload of the page has interrupted. Resolves with whether there are any. */
  find(onFound: (draft: UploadDraft) => void): Promise<boolean>
  forget(key: string): void
  /** Releases the reservation of a cancelled upload. */
  release(job: UploadJob): Promise<void>
  /** Keeps the file, and runs the remaining steps as soon as fewer uploads of the session are running. */
  run(job: UploadJob): void
  /** Waits for the scan of a file that the service has. */
  follow(job: UploadJob): void
}

/** Maximum number of concurrent uploads, without those that are scanned. Waiting files have no reservation yet. */
const maxAtOnce = 3

const queueOf = perSession(() => createQueue(maxAtOnce))

export function openRunningUploads(input: RunningUploadsInput): RunningUploads {
  const { session, target } = input
  const drafts = openUploadDrafts(session.drafts, target)
  const steps = createUploadSteps({ ...input, drafts })
  const kept = new Set<string>()
  const keep = ({ key, file, signal }: UploadJob): void => {
    if (kept.has(key)) return
    kept.add(key)
    drafts.keep(key, file)
    holdUpload(key, signal)
  }
  return {
    find: (onFound) =>
      drafts.find(session.signal, (draft) => {
        kept.add(draft.key)
        onFound(draft)
      }),
    forget: drafts.forget,
    release: (job) => releaseUpload(job, session, target),
    run(job) {
      // The user can sign out while this part loads: nothing may be stored after that.
      if (job.signal.aborted) return
      keep(job)
      void runToEnd(job, steps, { ...input, drafts })
    },
    follow: (job) => void followScan(job, { ...input, drafts }),
  }
}

interface Running extends RunningUploadsInput {
  readonly drafts: UploadDrafts
}

/** Runs the remaining steps when the queue has a free place, and waits for the scan of the file without this place. */
async function runToEnd(job: UploadJob, steps: Steps, input: Running): Promise<void> {
  const attachment = await queueOf(input.session)(() => attempt(job, steps, input))
  if (attachment?.status === 'scanning') await followScan(job, input)
  else if (attachment !== null) input.finish(job, attachment)
}

/**
 * Shows the upload as being scanned until the service has scanned it, or the wait fails. The service has the file, so after a reload
 * of the page the wait continues, and the user is not asked to resume an upload.
 */
async function followScan(job: UploadJob, { session, drafts, setState, finish }: Running): Promise<void> {
  const { signal, attachmentId } = job
  if (attachmentId !== null) drafts.scanned(job.key, attachmentId)
  setState(job, { status: 'scanning' })
  const scan = untilScanned(
    () => session.client.attachments.complete(attachmentId ?? '', { signal }),
    (ms) => session.wait(ms, signal),
  )
  const result = await outcome(signal, scan)
  if (result === null) return
  if ('value' in result) finish(job, result.value)
  else setState(job, failureOf(job, 'verifying', result.error))
}

/**
 * Runs the remaining steps. After a failure, resumes with the required step. If that step has already run, fails. Resolves with the
 * attachment, or with null if the upload has failed or ended.
 */
async function attempt(
  job: UploadJob,
  steps: Steps,
  { setState }: RunningUploadsInput,
): Promise<Attachment | null> {
  const done = new Set<UploadStep>()
  while (!job.signal.aborted) {
    if (job.next === 'transferring' && !done.has('reserving') && !hasDestination(job)) job.next = 'reserving'
    const step = job.next
    const result = await outcome(job.signal, steps[step](job))
    if (result === null) return null
    done.add(step)
    if ('error' in result) {
      const failure = failureOf(job, step, result.error)
      if (failure.canRetry && !done.has(job.next)) continue
      setState(job, failure)
      return null
    }
    if (result.value !== null) return result.value
    job.next = step === 'reserving' ? 'transferring' : 'verifying'
  }
  return null
}

/** Sets the step with which the upload resumes after a failure. Returns the state to show if the upload does not resume now. */
function failureOf(job: UploadJob, step: UploadStep, error: KitError) {
  const next = stepAfterFailure(step, error, job.target === null ? 'parts' : 'whole')
  job.next = next ?? step
  return { status: 'failed', step, error, canRetry: next !== null } as const
}

/**
 * Returns whether the reservation can receive bytes: at an unexpired URL, or in parts. The object store keeps the parts of a large
 * file, also while the page is reloaded.
 */
const hasDestination = ({ file, attachmentId, target }: UploadJob): boolean =>
  target === null ? isLarge(file) && attachmentId !== null : !isExpired(target)
