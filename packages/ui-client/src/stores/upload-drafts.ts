import type { Drafts } from '../session/drafts.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** A file that was being uploaded when the page went away. */
export interface UploadDraft {
  readonly key: string
  readonly file: File
  /** Its reservation; null when there was none yet. Never the signed address: that is a credential. */
  readonly attachmentId: string | null
}

/** The unfinished uploads of one object. */
export interface UploadDrafts {
  all(): Promise<readonly UploadDraft[]>
  keep(key: string, file: File): void
  /** Notes the reservation at once: a page that goes away the next moment has it. */
  reserved(key: string, attachmentId: string): void
  forget(key: string): void
}

export function openUploadDrafts(
  { files, texts }: Drafts,
  { kind, typeCode, id }: BusinessObjectReference,
): UploadDrafts {
  const prefix = `upload/${kind}/${typeCode}/${id}/`
  return {
    async all() {
      const kept = await files.list<unknown>(prefix)
      return kept.flatMap(([name, file]) =>
        file instanceof File ? [{ key: name.slice(prefix.length), file, attachmentId: texts.get(name) }] : [],
      )
    },
    keep: (key, file) => void files.set(prefix + key, file),
    reserved: (key, attachmentId) => texts.set(prefix + key, attachmentId),
    forget(key) {
      texts.delete(prefix + key)
      void files.delete(prefix + key)
    },
  }
}

/**
 * Runs `use` once no other tab of this browser has this upload, and keeps them from it until the signal is aborted or the page
 * goes away: what is under way in one tab is no leftover to another.
 */
export function alone(key: string, signal: AbortSignal, use: () => void): void {
  // There are no locks without a secure context. Then each tab sees all.
  const locks = (navigator as Partial<Navigator>).locks
  if (locks === undefined) {
    use()
    return
  }
  const hold = () => {
    use()
    return new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  // Rejects when the signal is aborted before its turn has come: nobody waits for it any more.
  locks.request(`vertical-kit/upload/${key}`, { signal }, hold).catch(() => {})
}
