import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import { attachmentsTexts } from './attachments/texts.ts'
import { auditTexts } from './audit-timeline/texts.ts'
import { actionsTexts } from './document-actions/texts.ts'
import { notesTexts } from './notes/texts.ts'
import { preferencesTexts } from './preferences/texts.ts'
import { workCenterTexts } from './work-center/texts.ts'

const commonTexts = {
  cancel: 'Cancel',
  close: 'Close',
  delete: 'Delete',
  loading: 'Loading…',
  retry: 'Try again',
  showMore: 'Show more',
  loadFailed: 'This could not be loaded.',
  moreFailed: 'More could not be loaded.',
}

/** Everything the elements say, in English. */
export const defaultTexts = {
  /** A BCP 47 language tag, for dates and numbers; null takes the browser's. */
  locale: null as string | null,
  common: commonTexts,
  actions: actionsTexts,
  attachments: attachmentsTexts,
  audit: auditTexts,
  notes: notesTexts,
  preferences: preferencesTexts,
  workCenter: workCenterTexts,
  /** Words for error codes, instead of the service's own. */
  errors: {
    'client.unreachable': 'The service cannot be reached. Check your network connection and try again.',
    'client.transfer_failed': 'The file could not be sent. Check your network connection and try again.',
    'client.unexpected_response': 'The service returned an unexpected response.',
    'service.unavailable': 'The service is busy. Try again in a moment.',
    internal: 'Something went wrong on the server.',
  } as Readonly<Record<string, string>>,
}

export type Texts = typeof defaultTexts

/** Texts by room, each room as far as it is said: the rest stays. */
export type TextChanges = {
  readonly [Room in keyof Texts]?: Texts[Room] extends object ? Partial<Texts[Room]> : Texts[Room]
}

const $current = atom<Texts>(defaultTexts)

/** What the elements say now. */
export const $texts: ReadableAtom<Texts> = $current

/** Has all elements of the page say something else, from now on: translations, or a vertical's own words. */
export function setTexts(changes: TextChanges): void {
  const entries = Object.entries($current.get()).map(([room, texts]) => {
    const change = Reflect.get(changes, room)
    if (change === undefined) return [room, texts]
    return [room, typeof texts === 'object' && texts !== null ? { ...texts, ...change } : change]
  })
  $current.set(Object.fromEntries(entries) as Texts)
}

/** What to tell of an error: the page's words for its code, or the service's. */
export function errorText({ code, message, requestId }: KitError): string {
  const words = $texts.get().errors[code] ?? message
  // A fault of the service's is one to ask about.
  return code === 'internal' && requestId !== null ? `${words} (${requestId})` : words
}
