import type { ReadableAtom } from 'nanostores'
import { type Session, targetName } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { perSession } from './per-session.ts'
import { openState, outcome } from './store.ts'
import type { InterruptedUploads } from './upload-drafts.ts'
import { type FileUpload, progressOf, shownName, type UploadProgress } from './upload-state.ts'
import { createUploads, runningUploads, type Uploads } from './uploads.ts'

/** The unfinished uploads of the user to one object. */
export interface ObjectUploads {
  readonly target: BusinessObjectReference
  /** At least one upload. */
  readonly uploads: readonly FileUpload[]
  readonly progress: UploadProgress
}

/** All unfinished uploads of a session. */
export interface UploadsStore {
  /**
   * The objects with unfinished uploads. After a reload of the page, also those with interrupted uploads that no other tab
   * of this browser runs. `attachmentsStore` resumes or cancels them.
   */
  readonly $objects: ReadableAtom<readonly ObjectUploads[]>
}

interface Opened {
  readonly target: BusinessObjectReference
  readonly uploads: Uploads
  /** The number of stores that show the uploads. */
  storeCount: number
}

const uploadsOfSession = perSession((session) => {
  const { $state: $objects, set: setObjects } = openState<readonly ObjectUploads[]>(session.signal, [])
  const opened = new Map<string, Opened>()
  const interrupted = new Map<string, ObjectUploads>()
  const show = () => {
    const running = [...opened.values()].map(({ target, uploads: { $uploads, $progress } }) => ({
      target,
      uploads: $uploads.get(),
      progress: $progress.get(),
    }))
    setObjects([...running, ...interrupted.values()].filter(({ uploads }) => uploads.length > 0))
  }

  const begin = (target: BusinessObjectReference): Opened => {
    const uploads = createUploads(session, target, load)
    const begun = { target, uploads, storeCount: 0 }
    const name = targetName(target)
    opened.set(name, begun)
    // The object's own uploads include its interrupted ones.
    interrupted.delete(name)
    uploads.$uploads.listen(show)
    show()
    return begun
  }
  /** Forgets the objects that the user has left without an upload: a session can visit thousands. */
  const forgetLeft = () => {
    for (const [name, { uploads, storeCount }] of opened) {
      if (storeCount > 0 || !uploads.isEmpty()) continue
      opened.delete(name)
      uploads.dispose()
    }
  }
  const open = (target: BusinessObjectReference, signal: AbortSignal): Uploads => {
    forgetLeft()
    const one = opened.get(targetName(target)) ?? begin(target)
    if (!signal.aborted) {
      one.storeCount += 1
      signal.addEventListener('abort', () => {
        one.storeCount -= 1
      })
    }
    return one.uploads
  }
  const showInterrupted = (found: readonly InterruptedUploads[]) => {
    if (session.signal.aborted) return
    for (const { target, drafts } of found) {
      if (opened.has(targetName(target))) continue
      // Nobody must open the object to learn the result of a scan.
      if (drafts.some(({ status }) => status === 'scanning')) {
        begin(target)
        continue
      }
      const uploads = drafts.map(({ key, file, status }) => ({
        status,
        key,
        fileName: shownName(file.name),
        sizeBytes: file.size,
        file,
      }))
      const progress = progressOf(uploads, { count: 0, bytes: 0 })
      interrupted.set(targetName(target), { target, uploads, progress })
    }
    show()
  }
  let hasSearched = false
  /** Loads the part that runs uploads. The first time, finds the uploads that a reload of the page has interrupted. */
  const load = async () => {
    const part = await runningUploads.load()
    if (!hasSearched) {
      hasSearched = true
      void part.findInterrupted(session.drafts).then(showInterrupted)
    }
    return part
  }
  void outcome(session.signal, load())
  return { $objects, open }
})

/** Returns the session's uploads to an object for a store, until `signal` is aborted. The uploads continue without a store. */
export const uploadsOf = (session: Session, target: BusinessObjectReference, signal: AbortSignal): Uploads =>
  uploadsOfSession(session).open(target, signal)

/** Returns the session's uploads to all objects, for example for a notice on every view of a page. Ends with the session. */
export const uploadsStore = (session: Session): UploadsStore => ({
  $objects: uploadsOfSession(session).$objects,
})
