import { openStore, outcome, type Session, type Store } from '@vertical-kit/ui-client/stores'
import type { LastEditor } from '../data/last-editor.ts'
import type { OpenedEntry, VersionedEntry } from '../data/opened-entry.ts'

/** The other side of a version conflict. */
export interface Conflict {
  readonly current: VersionedEntry
  /** The user who changed the entry last, or null. */
  readonly editor: LastEditor | null
}

/** The changes of another user. Null while there is no conflict, and until the answer is known. */
export interface ConflictStore extends Store<Conflict | null> {
  /** Loads the current version and its editor when a conflict begins, and forgets them when it ends. */
  follow(conflict: { readonly hasConflict: boolean }): void
}

/** Opens the store of an entry's conflicts. After a failed request, the state stays null. */
export function openConflict(
  session: Session,
  opened: OpenedEntry,
  lastEditor: (signal: AbortSignal) => Promise<LastEditor | null>,
): ConflictStore {
  const { $state, signal, set, dispose } = openStore<Conflict | null>(session, null)
  let followed = 0
  let hadConflict = false
  const load = async (mine: number) => {
    const [result, editor] = await Promise.all([outcome(signal, opened.read()), lastEditor(signal)])
    if (result !== null && 'value' in result && mine === followed) set({ current: result.value, editor })
  }
  return {
    $state,
    dispose,
    follow({ hasConflict }) {
      if (hasConflict === hadConflict) return
      hadConflict = hasConflict
      followed += 1
      if (hasConflict) void load(followed)
      else set(null)
    },
  }
}
