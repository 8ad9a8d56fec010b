import type { TextDrafts } from '../session/drafts.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** The unsaved text of a note, and the version of the note that the text replaces. For a new note, the version is null. */
export interface NoteDraft {
  readonly text: string
  readonly version: number | null
}

/** The drafts of one object's notes, by the key of the note. If the browser cannot store drafts, they stay in memory. */
export interface NoteDrafts {
  all(): ReadonlyMap<string, NoteDraft>
  set(key: string, draft: NoteDraft): void
  delete(key: string): void
}

export function openNoteDrafts(
  texts: TextDrafts,
  { kind, typeCode, id }: BusinessObjectReference,
): NoteDrafts {
  const prefix = `note/${kind}/${typeCode}/${id}/`
  const begun = new Map(
    texts.names(prefix).flatMap((name) => {
      const draft = parse(texts.get(name))
      return draft === null ? [] : [[name.slice(prefix.length), draft]]
    }),
  )
  return {
    all: () => begun,
    set(key, draft) {
      begun.set(key, draft)
      texts.set(prefix + key, JSON.stringify(draft))
    },
    delete(key) {
      const draft = begun.get(key)
      begun.delete(key)
      // Keep the stored draft if another tab, or a panel that was opened later, has replaced it.
      if (parse(texts.get(prefix + key))?.text === draft?.text) texts.delete(prefix + key)
    },
  }
}

/** Parses a stored draft. Returns null for an unknown format, which another version of the page may have written. */
function parse(text: string | null): NoteDraft | null {
  try {
    const draft: unknown = JSON.parse(text ?? 'null')
    const isDraft =
      typeof draft === 'object' && draft !== null && 'text' in draft && typeof draft.text === 'string'
    if (!isDraft) return null
    const version = 'version' in draft && typeof draft.version === 'number' ? draft.version : null
    return { text: draft.text as string, version }
  } catch {
    return null
  }
}
