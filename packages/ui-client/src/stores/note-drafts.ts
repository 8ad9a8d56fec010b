import type { TextDrafts } from '../session/drafts.ts'
import { targetName } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** The unsaved text of a note, and the version of the note that the text replaces. For a new note, the version is null. */
export interface NoteDraft {
  readonly text: string
  readonly version: number | null
  /** The notes that existed before a first attempt to add this one, if its outcome is unknown. */
  readonly before?: NotesBefore | undefined
}

/** The notes that existed before an attempt. */
export interface NotesBefore {
  readonly ids: readonly string[]
  /** The lowest known id. Ids increase with time, so notes with lower ids are older than the attempt. */
  readonly lowest: string
}

/** The drafts of one object's notes, by the key of the note. If the browser cannot store drafts, they stay in memory. */
export interface NoteDrafts {
  all(): ReadonlyMap<string, NoteDraft>
  set(key: string, draft: NoteDraft): void
  /** Stores what existed before an attempt, so that a panel that is opened later, also after a reload, knows about it. */
  mark(key: string, before: NotesBefore | undefined): void
  delete(key: string): void
}

export function openNoteDrafts(texts: TextDrafts, target: BusinessObjectReference): NoteDrafts {
  const prefix = `note/${targetName(target)}/`
  const begun = new Map(
    texts.names(prefix).flatMap((name) => {
      const draft = parse(texts.get(name))
      return draft === null ? [] : [[name.slice(prefix.length), draft]]
    }),
  )
  /** Returns false if another tab, or a panel that was opened later, has replaced the stored draft. */
  const isStored = (key: string, draft: NoteDraft | undefined): boolean =>
    parse(texts.get(prefix + key))?.text === draft?.text
  return {
    all: () => begun,
    set(key, draft) {
      begun.set(key, draft)
      texts.set(prefix + key, JSON.stringify(draft))
    },
    mark(key, before) {
      const draft = begun.get(key)
      if (draft === undefined) return
      begun.set(key, { ...draft, before })
      if (isStored(key, draft)) texts.set(prefix + key, JSON.stringify({ ...draft, before }))
    },
    delete(key) {
      const draft = begun.get(key)
      begun.delete(key)
      if (isStored(key, draft)) texts.delete(prefix + key)
    },
  }
}

/** Parses a stored draft. Returns null for an unknown format, which another version of the page may have written. */
function parse(text: string | null): NoteDraft | null {
  try {
    const draft = JSON.parse(text ?? 'null') as Partial<NoteDraft> | null
    if (typeof draft?.text !== 'string') return null
    const { version = null, before } = draft
    return { text: draft.text, version, before }
  } catch {
    return null
  }
}
