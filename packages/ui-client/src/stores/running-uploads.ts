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
  /** Releases the reservation of a cancelled upload, or finishes the upload if its file is already ready. */
  release(job: UploadJob): Promise<void>
  /** Keeps the file, and runs the remaining steps as soon as fewer uploads of the session are running. */
  run(job: UploadJob): void
  /** Waits for the scan of a file that the service has. */
  follow(job: UploadJob): void
}

/** Maximum number of concurrent uploads, without those that are scanned. Waiting files have no reservation yet. */
const maxAtOnce = 3

const queueOf = perSession(() => createQueue(maxAtOnce))

/** Maximum number of turns of an upload that a rate limit refuses: a minute for a single upload, if the limit asks for 5 s. */
const maxTurns = 12

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
    async release(job) {
      const kept = await releaseUpload(job, session, target)
      if (kept !== null) input.finish(job, kept)
    },
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

/**
 * Runs the remaining steps when the queue has a free place, and waits for the scan of the file without this place. After a
 * refusal by a rate limit, the upload waits in its place, because the next file would be refused too. Then it takes another turn
 * behind the other uploads, because the limit may count a reservation of an upload that the user has tried again.
 */
async function runToEnd(job: UploadJob, steps: Steps, input: Running): Promise<void> {
  const { session, setState, finish } = input
  const attemptAndWait = async () => {
    const end = await attempt(job, steps)
    if (isRateLimited(end)) {
      await outcome(job.signal, session.wait(end.error.retryAfterMs ?? 1_000, job.signal))
    }
    return end
  }
  // A cancelled upload leaves its place at once, although its reservation may still wait for a response.
  const takeTurn = () => queueOf(session)(() => Promise.race([attemptAndWait(), ended(job.signal)]))
  let end = await takeTurn()
  for (let turn = 2; turn <= maxTurns && isRateLimited(end); turn += 1) {
    setState(job, { status: 'queued' })
    end = await takeTurn()
  }
  if (end?.status === 'failed') setState(job, end)
  else if (end?.status === 'scanning') await followScan(job, input)
  else if (end !== null) finish(job, end)
}

const ended = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)))

const isRateLimited = (end: Attachment | Failure | null): end is Failure =>
  end?.status === 'failed' && end.error.code === 'request.rate_limited'

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
 * attachment, with the failure, or with null if the upload has ended.
 */
async function attempt(job: UploadJob, steps: Steps): Promise<Attachment | Failure | null> {
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
      return failure
    }
    if (result.value !== null) return result.value
    job.next = step === 'reserving' ? 'transferring' : 'verifying'
  }
  return null
}

type Failure = Extract<UploadState, { readonly status: 'failed' }>

/** Sets the step with which the upload resumes after a failure. Returns the state to show if the upload does not resume now. */
function failureOf(job: UploadJob, step: UploadStep, error: KitError): Failure {
  const next = stepAfterFailure(step, error, job.target === null ? 'parts' : 'whole')
  job.next = next ?? step
  return { status: 'failed', step, error, canRetry: next !== null }
}

/**
 * Returns whether the reservation can receive bytes: at an unexpired URL, or in parts. The object store keeps the parts of a large
 * file, also while the page is reloaded.
 */
const hasDestination = ({ file, attachmentId, target }: UploadJob): boolean =>
  target === null ? isLarge(file) && attachmentId !== null : !isExpired(target)
