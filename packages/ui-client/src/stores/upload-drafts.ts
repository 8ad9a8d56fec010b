import { newIdempotencyKey } from '../client/documents.ts'
import type { Drafts } from '../session/drafts.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** A file that was being uploaded when the page went away. */
export interface UploadDraft {
  readonly key: string
  readonly file: File
  /** Its reservation; null when there was none yet. Never the signed address: that is a credential. */
  readonly attachmentId: string | null
}

const root = 'upload/'

/** Nobody goes on with a file for longer: no reservation lasts beyond a week. Then it is thrown away, whatever its object. */
const keptMs = 7 * 24 * 60 * 60 * 1_000

/** A name for a new upload. It begins with the time, so that uploads are found in the order in which they were added. */
export const newUploadKey = (): string => `${Date.now().toString(36)}-${newIdempotencyKey()}`

/** The unfinished uploads of one object. */
export interface UploadDrafts {
  /** Hears of each one, once no other tab of this browser has it and it is unfinished still. */
  find(signal: AbortSignal, onFound: (draft: UploadDraft) => void): Promise<void>
  keep(key: string, file: File): void
  /** Notes the reservation at once: a page that goes away the next moment has it. */
  reserved(key: string, attachmentId: string): void
  forget(key: string): void
}

export function openUploadDrafts(
  { files, texts }: Drafts,
  { kind, typeCode, id }: BusinessObjectReference,
): UploadDrafts {
  const prefix = `${root}${kind}/${typeCode}/${id}/`
  const forget = (name: string) => {
    texts.delete(name)
    void files.delete(name)
  }
  const all = async (): Promise<readonly UploadDraft[]> => {
    const kept = await files.list<unknown>(root)
    return kept.flatMap(([name, file]) => {
      const key = name.slice(name.lastIndexOf('/') + 1)
      const isStale = Number.parseInt(key, 36) < Date.now() - keptMs
      if (isStale) forget(name)
      const isOurs = name.startsWith(prefix) && file instanceof File && !isStale
      return isOurs ? [{ key, file, attachmentId: texts.get(name) }] : []
    })
  }
  return {
    async find(signal, onFound) {
      for (const { key } of await all()) {
        holdUpload(key, signal, async () => {
          const draft = (await all()).find((one) => one.key === key)
          if (draft !== undefined) onFound(draft)
        })
      }
    },
    keep: (key, file) => void files.set(prefix + key, file),
    reserved: (key, attachmentId) => texts.set(prefix + key, attachmentId),
    forget: (key) => forget(prefix + key),
  }
}

/**
 * Keeps other tabs of this browser from an upload until the signal is aborted or the page goes away: what is under way in one
 * tab is no leftover to another. Tells when it is this tab's.
 */
export function holdUpload(key: string, signal: AbortSignal, onHeld = async (): Promise<void> => {}): void {
  // There are no locks without a secure context. Then each tab sees all.
  const locks = (navigator as Partial<Navigator>).locks
  if (locks === undefined) {
    void onHeld()
    return
  }
  const hold = async () => {
    await onHeld()
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  // Rejects when the signal is aborted before its turn has come: nobody waits for it any more.
  locks.request(`vertical-kit/upload/${key}`, { signal }, hold).catch(() => {})
}
