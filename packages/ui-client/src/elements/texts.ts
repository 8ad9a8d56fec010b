import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { ItemText } from '../wire/work-center.ts'
import type { AdministrationTexts } from './administration/texts.ts'
import { attachmentsTexts } from './attachments/texts.ts'
import { auditTexts } from './audit-timeline/texts.ts'
import { actionsTexts } from './document-actions/texts.ts'
import { feedbackTexts } from './feedback/texts.ts'
import { liveObjectTexts } from './live-object/texts.ts'
import { notesTexts } from './notes/texts.ts'
import { preferencesTexts } from './preferences/texts.ts'
import { teamTexts } from './team/texts.ts'
import { workCenterTexts } from './work-center/texts.ts'

const commonTexts = {
  cancel: 'Cancel',
  close: 'Close',
  delete: 'Delete',
  loading: 'Loading…',
  retry: 'Try again',
  showMore: 'Show more',
  loadFailed: 'Could not load this content.',
  moreFailed: 'Could not load more.',
  requestId: (id: string) => `If you contact support, include this request ID: ${id}`,
}

/** The English texts of all elements. */
export const defaultTexts = {
  /** The language of dates and numbers as a BCP 47 tag. With null, the language of the browser applies. */
  locale: null as string | null,
  /** Changes of the page to the texts for administrators, which belong to `/elements/administration`. */
  administration: {} as Partial<AdministrationTexts>,
  common: commonTexts,
  actions: actionsTexts,
  attachments: attachmentsTexts,
  audit: auditTexts,
  feedback: feedbackTexts,
  live: liveObjectTexts,
  notes: notesTexts,
  preferences: preferencesTexts,
  team: teamTexts,
  workCenter: workCenterTexts,
  /**
   * The titles and descriptions of tasks and notifications, by the key of their `titleText` and `descriptionText`. For other
   * keys, the service's plain text is shown.
   */
  items: {} as Readonly<Record<string, (parameters: ItemText['parameters']) => string>>,
  /** The messages by error code. They replace the service's messages. */
  errors: {
    'client.unreachable': 'The service cannot be reached. Check your network connection and try again.',
    'client.transfer_failed': 'The file could not be sent. Check your network connection and try again.',
    'client.unexpected_response': 'The service returned an unexpected response. Try again later.',
    'service.unavailable': 'The service is busy. Try again in a moment.',
    internal: 'Something went wrong on the server.',
  } as Readonly<Record<string, string>>,
}

export type Texts = typeof defaultTexts

/** Changes to the texts of one or more groups. Texts that are not passed stay unchanged. */
export type TextChanges = {
  readonly [Room in keyof Texts]?: Texts[Room] extends object ? Partial<Texts[Room]> : Texts[Room]
}

const $current = atom<Texts>(defaultTexts)

/** The current texts of the elements. */
export const $texts: ReadableAtom<Texts> = $current

/** Changes the texts of all elements on the page, for example to translate them or to use a vertical's own terms. */
export function setTexts(changes: TextChanges): void {
  const entries = Object.entries($current.get()).map(([room, texts]) => {
    const change = Reflect.get(changes, room)
    if (change === undefined) return [room, texts]
    return [room, typeof texts === 'object' && texts !== null ? { ...texts, ...change } : change]
  })
  $current.set(Object.fromEntries(entries) as Texts)
}

/** Returns a text of a task or notification: the page's own text for its key, otherwise the service's plain text. */
export function itemText(text: ItemText | null, plain: string): string {
  return text === null ? plain : ($texts.get().items[text.key]?.(text.parameters) ?? plain)
}

/** Returns the message for an error: the page's own text for the error's code, otherwise the service's message. */
export function errorText({ code, message, requestId }: KitError): string {
  const text = $texts.get().errors[code] ?? message
  // After a server fault, the user needs the request id to contact support.
  return code === 'internal' && requestId !== null
    ? `${text} ${$texts.get().common.requestId(requestId)}`
    : text
}
