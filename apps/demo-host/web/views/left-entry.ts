import { feedbackStore, type Session } from '@vertical-kit/ui-client/stores'
import type { Entry } from '../data/entries.ts'
import { mayHaveSucceeded, type postDraft } from '../data/save-entry.ts'
import { hasInput } from '../form/form.ts'
import type { ListDefinition } from '../lists.ts'
import { nameOf } from './columns.ts'
import type { EntryStore } from './entry-store.ts'

/** Keeps the values of a form that could not be saved after the user had left it, and says so. */
export function keepRefused(session: Session, { form, keep }: EntryStore, { one }: ListDefinition): void {
  if (session.signal.aborted) return
  const reason = form.$state.get().problem?.message ?? 'Some fields are not valid.'
  announceFailure(session, `Your ${one} was not saved. ${reason}${keep() ? '' : openAgain}`)
}

/** Keeps what the user typed during a save and left before it succeeded, and says so. */
export function keepLater(
  session: Session,
  { form, keep }: EntryStore,
  { list, id }: { readonly list: ListDefinition; readonly id: string },
): void {
  if (session.signal.aborted || !hasInput(form.$state.get())) return
  const text = `Your ${list.one} was saved. What you typed afterwards is kept.${keep(id) ? '' : openAgain}`
  feedbackStore(session).announce({ text })
}

const openAgain = ' Open it again to continue.'

/** Keeps the values of a form whose entry could not be deleted after the user had left it, and says so. */
export function tellNotDeleted(session: Session, { form, keep }: EntryStore, entry: Entry): void {
  const { problem } = form.$state.get()
  if (session.signal.aborted || problem === null) return
  keep()
  announceFailure(session, `${nameOf(entry)} was not deleted. ${problem.message}`)
}

/** Tells that a saved document was not posted, for a user who has left it. Nothing is shown after a success. */
export function tellNotPosted(
  session: Session,
  saved: Entry,
  posted: Awaited<ReturnType<typeof postDraft>>,
): void {
  if (posted === null || !('error' in posted)) return
  const { error } = posted
  const text = mayHaveSucceeded(error)
    ? `${nameOf(saved)} is saved, but it is not known whether it was posted.`
    : `${nameOf(saved)} was not posted.`
  announceFailure(session, `${text} ${error.message}`)
}

const announceFailure = (session: Session, text: string): void =>
  feedbackStore(session).announce({ text, tone: 'failure' })
