import { feedbackStore, type Session } from '@vertical-kit/ui-client/stores'
import type { ListDefinition } from '../lists.ts'
import type { EntryStore } from './entry-store.ts'

/** Keeps the values of a form that could not be saved after the user had left it, and says so. */
export function keepRefused(session: Session, { form, keep }: EntryStore, { one }: ListDefinition): void {
  if (session.signal.aborted) return
  keep()
  const reason = form.$state.get().problem?.message ?? 'Some fields are not valid.'
  announceFailure(session, `Your ${one} was not saved. ${reason} Open it again to continue.`)
}

export const announceFailure = (session: Session, text: string): void =>
  feedbackStore(session).announce({ text, tone: 'failure' })
