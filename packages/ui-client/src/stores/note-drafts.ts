import type { TextDrafts } from '../session/drafts.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** What was written of a note and not saved, with the version it is an edit of; null for a new one. */
export interface NoteDraft {
  readonly text: string
  readonly version: number | null
}

/** The unsaved notes of one object, by note. They are known here even where the browser keeps nothing. */
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
      // Written anew meanwhile, in another tab or after the panel was opened again: that is not this one's to forget.
      if (parse(texts.get(prefix + key))?.text === draft?.text) texts.delete(prefix + key)
    },
  }
}

/** What another version of this page may have written is no draft. */
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
