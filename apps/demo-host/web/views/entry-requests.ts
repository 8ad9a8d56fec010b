import { isKitError } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import type { Entry } from '../data/entries.ts'
import type { VersionedEntry } from '../data/opened-entry.ts'
import { mayHaveSucceeded, postDraft, saveEntry } from '../data/save-entry.ts'
import { endpointOf, type ListDefinition } from '../lists.ts'
import { ask } from './ask.ts'
import { nameOf } from './columns.ts'
import { editors } from './editors/editors.ts'
import type { EntryStore } from './entry-store.ts'
import { isVersionConflict } from './version-conflict.ts'

/** The results of a save. */
interface SavedForm {
  /** The entry as it was saved. */
  readonly draft: VersionedEntry
  /** The posted document, or the saved entry. */
  readonly current: VersionedEntry
  /** Null if the document should not be posted, or if the session has ended. */
  readonly posted: Awaited<ReturnType<typeof postDraft>>
}

/** Saves the form, and posts the saved document if `posts`. Resolves with null if it could not be saved: the form says why. */
export async function saveForm(
  session: Session,
  store: EntryStore,
  { list, id, posts }: { readonly list: ListDefinition; readonly id: string | null; readonly posts: boolean },
): Promise<SavedForm | null> {
  const expectedVersion = store.version()
  const { bodyOf } = editors[list.path]
  store.willPost({ posts })
  return store.form.submit(async (values) => {
    const body = bodyOf(values)
    const save = { list, id, expectedVersion, body, creationKey: store.creationKey(body) }
    const draft = await saveEntry(session, save).then(
      // A save has increased the version by one. A new document has the version 1.
      (entry) => ({
        entry,
        version: expectedVersion === null ? ('number' in entry ? 1 : null) : expectedVersion + 1,
      }),
      (error: unknown) => savedBefore(store, error, (entry) => store.isSavedAs(values, entry)),
    )
    // Until the document is posted, another save would have an old version.
    const posted = posts ? await postDraft(session, draft) : null
    return { draft, current: posted !== null && 'value' in posted ? posted.value : draft, posted }
  })
}

/**
 * Returns the current version of an entry that another save has changed, if it contains the same values: the response of that
 * save was lost. Otherwise, rejects with the error.
 */
async function savedBefore(
  { opened }: EntryStore,
  error: unknown,
  isSaved: (entry: Entry) => boolean,
): Promise<VersionedEntry> {
  if (opened === null || !isKitError(error) || !isVersionConflict(error)) throw error
  const current = await opened.read().catch(() => null)
  if (current === null || !isSaved(current.entry)) throw error
  return current
}

/** Deletes an entry after a question. Resolves with false if the user cancels, or if it could not be deleted. */
export async function deleteAfterQuestion(
  { client, signal }: Session,
  store: EntryStore,
  { list, entry }: { readonly list: ListDefinition; readonly entry: Entry },
): Promise<boolean> {
  // The version that the user saw when the question appeared.
  const query = { expectedVersion: store.version() }
  const isSure = await ask({
    title: `Delete ${nameOf(entry)}?`,
    message: `This cannot be undone. You will also lose access to the attachments and notes of this ${list.one}.`,
    confirmLabel: 'Delete',
  })
  if (!isSure) return false
  const path = `${endpointOf(list)}/${encodeURIComponent(entry.id)}`
  const { problem: before } = store.form.$state.get()
  const answer = await store.form.submit(async () => {
    await client.request({ method: 'DELETE', path, query, signal }).catch((error: unknown) => {
      // The response of an earlier attempt was lost, and this attempt no longer finds the entry.
      const isGone = isKitError(error) && error.status === 404
      if (!isGone || before === null || !mayHaveSucceeded(before)) throw error
    })
    return 'deleted' as const
  })
  return answer !== null
}
