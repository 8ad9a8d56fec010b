import type { Drafts } from '../session/drafts.ts'
import { targetName } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** An upload that was in progress when the page was closed, and the file of the upload. */
export interface UploadDraft {
  readonly key: string
  readonly file: File
  /** The id of the reserved attachment, or null. The signed URL is never stored, because it is a credential. */
  readonly attachmentId: string | null
  /** `scanning` if the service has the file, and scans it for malware. */
  readonly status: 'interrupted' | 'scanning'
}

const root = 'upload/'

/** Precedes the id of an attachment that the service scans. */
const scanned = 'scanned/'

/** Maximum age of a draft. Older drafts of all objects are deleted, because no reservation lasts longer than a week. */
const keptMs = 7 * 24 * 60 * 60 * 1_000

/** The interrupted uploads of an object. */
export interface InterruptedUploads {
  readonly target: BusinessObjectReference
  readonly drafts: readonly UploadDraft[]
}

/** Returns the objects with interrupted uploads. Omits the uploads that a tab of this browser runs. */
export async function findInterrupted({ files, texts }: Drafts): Promise<readonly InterruptedUploads[]> {
  const kept = await files.list<unknown>(root)
  const locks = await (navigator as Partial<Navigator>).locks?.query()
  const held = new Set(locks?.held?.map(({ name }) => name))
  const found = new Map<string, { target: BusinessObjectReference; drafts: UploadDraft[] }>()
  for (const [name, file] of kept) {
    const [, kind = '', typeCode = '', id = '', key = ''] = name.split('/')
    if (!(file instanceof File) || isStale(key) || held.has(lockName(key))) continue
    const target = { kind, typeCode, id } as BusinessObjectReference
    const one = found.get(targetName(target)) ?? { target, drafts: [] }
    found.set(targetName(target), one)
    one.drafts.push({ key, file, ...reservationOf(texts.get(name)) })
  }
  return [...found.values()]
}

const isStale = (key: string): boolean => Number.parseInt(key, 36) < Date.now() - keptMs

const lockName = (key: string): string => `vertical-kit/upload/${key}`

/** The unfinished uploads of one object. */
export interface UploadDrafts {
  /**
   * Calls `onFound` for each unfinished upload as soon as no other tab of this browser has locked it. Resolves with whether there
   * are any.
   */
  find(signal: AbortSignal, onFound: (draft: UploadDraft) => void): Promise<boolean>
  keep(key: string, file: File): void
  /** Stores the reservation synchronously, so that it survives even if the page is closed immediately. */
  reserved(key: string, attachmentId: string): void
  /** Stores that only the result of the scan is missing, so that a reload of the page waits for it. */
  scanned(key: string, attachmentId: string): void
  forget(key: string): void
}

export function openUploadDrafts({ files, texts }: Drafts, target: BusinessObjectReference): UploadDrafts {
  const prefix = `${root}${targetName(target)}/`
  const forget = (name: string) => {
    texts.delete(name)
    void files.delete(name)
  }
  const all = async (start = root): Promise<readonly UploadDraft[]> => {
    const kept = await files.list<unknown>(start)
    return kept.flatMap(([name, file]) => {
      const key = name.slice(name.lastIndexOf('/') + 1)
      if (isStale(key)) forget(name)
      const isOurs = name.startsWith(prefix) && file instanceof File && !isStale(key)
      return isOurs ? [{ key, file, ...reservationOf(texts.get(name)) }] : []
    })
  }
  return {
    async find(signal, onFound) {
      const drafts = await all()
      for (const { key } of drafts) {
        holdUpload(key, signal, async () => {
          const [draft] = await all(prefix + key)
          if (draft !== undefined) onFound(draft)
        })
      }
      return drafts.length > 0
    },
    keep: (key, file) => void files.set(prefix + key, file),
    reserved: (key, attachmentId) => texts.set(prefix + key, attachmentId),
    scanned: (key, attachmentId) => texts.set(prefix + key, scanned + attachmentId),
    forget: (key) => forget(prefix + key),
  }
}

const reservationOf = (text: string | null): Pick<UploadDraft, 'attachmentId' | 'status'> =>
  text?.startsWith(scanned) === true
    ? { attachmentId: text.slice(scanned.length), status: 'scanning' }
    : { attachmentId: text, status: 'interrupted' }

/**
 * Locks an upload until the signal is aborted or the page is closed, so that other tabs of this browser do not treat the
 * upload as interrupted. Calls `onHeld` once this tab has the lock.
 */
export function holdUpload(key: string, signal: AbortSignal, onHeld = async (): Promise<void> => {}): void {
  // Without a secure context, the browser has no locks, so each tab finds the uploads of all tabs.
  const locks = (navigator as Partial<Navigator>).locks
  if (locks === undefined) {
    void onHeld()
    return
  }
  const hold = async () => {
    await onHeld()
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve())
    })
  }
  // The request rejects if the signal is aborted before the lock is granted. Ignore this rejection.
  locks.request(lockName(key), { signal }, hold).catch(() => {})
}
