import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { ItemText } from '../wire/work-center.ts'
import type { administrationTexts } from './administration/texts.ts'
import type { attachmentsTexts } from './attachments/texts.ts'
import type { uploadTexts } from './attachments/upload-texts.ts'
import type { zipTexts } from './attachments/zip-texts.ts'
import type { auditTexts } from './audit-timeline/texts.ts'
import type { runTexts } from './document-actions/run-texts.ts'
import type { actionsTexts } from './document-actions/texts.ts'
import type { feedbackTexts } from './feedback/texts.ts'
import type { liveObjectTexts } from './live-object/texts.ts'
import type { notesTexts } from './notes/texts.ts'
import type { noteToolTexts } from './notes/tool-texts.ts'
import type { preferencesTexts } from './preferences/texts.ts'
import type { ServiceTexts } from './service-texts.ts'
import type { teamFormTexts } from './team/form-texts.ts'
import type { teamTexts } from './team/texts.ts'
import type { workCenterDialogTexts } from './work-center/dialog-texts.ts'
import type { workCenterTexts } from './work-center/texts.ts'

/** The English texts that all elements share. */
export const baseTexts = {
  /** The language of dates and numbers as a BCP 47 tag. With null, the language of the browser applies. */
  locale: null as string | null,
  common: {
    cancel: 'Cancel',
    close: 'Close',
    delete: 'Delete',
    loading: 'Loading…',
    retry: 'Try again',
    showMore: 'Show more',
    loadFailed: 'Could not load this content.',
    moreFailed: 'Could not load more.',
    requestId: (id: string) => `If you contact support, include this request ID: ${id}`,
  },
  /**
   * The titles and descriptions of tasks and notifications, by the key of their `titleText` and `descriptionText`. For other
   * keys, the service's plain text is shown.
   */
  items: {} as Readonly<Record<string, (parameters: ItemText['parameters']) => string>>,
  /** The messages by error code. They replace the service's messages. */
  errors: {
    'client.unreachable': 'The service cannot be reached. Check your network connection and try again.',
    'client.transfer_failed':
      'The file could not be transferred. Check your network connection and try again.',
    'client.part_not_loaded':
      'This part of the page could not be loaded. Check your network connection and try again, or reload the page.',
    'client.unexpected_response': 'The service returned an unexpected response. Try again later.',
    'service.unavailable': 'The service is busy. Try again in a moment.',
    internal: 'Something went wrong on the server.',
  } as Readonly<Record<string, string>>,
  /** The texts that the service sends, by code. For other codes, the service's own texts are shown. */
  service: {
    ...{ actions: {}, reasons: {}, remedies: {}, definitions: {} },
    ...{ features: {}, permissions: {}, roles: {}, groups: {} },
  } as ServiceTexts,
}

/** The texts that elements show at once, by group. Each entry point contains the English texts of its own groups only. */
interface GroupTexts {
  readonly actions: typeof actionsTexts
  readonly administration: typeof administrationTexts
  readonly attachments: typeof attachmentsTexts
  readonly audit: typeof auditTexts
  readonly feedback: typeof feedbackTexts
  readonly live: typeof liveObjectTexts
  readonly notes: typeof notesTexts
  readonly preferences: typeof preferencesTexts
  readonly team: typeof teamTexts
  readonly workCenter: typeof workCenterTexts
}

/** The texts that parts on demand add to their groups. Each part contains its English texts. */
interface AddedTexts {
  readonly actions: typeof runTexts
  readonly attachments: typeof uploadTexts & typeof zipTexts
  readonly notes: typeof noteToolTexts
  readonly team: typeof teamFormTexts
  readonly workCenter: typeof workCenterDialogTexts
}

export type TextGroup = keyof GroupTexts

/** The English texts of some groups. */
export type EnglishTexts<Group extends TextGroup> = Pick<GroupTexts, Group>

/** The shared texts, and those that elements of some groups show at once. */
export type TextsOf<Group extends TextGroup> = typeof baseTexts & EnglishTexts<Group>

/** The texts of all elements. */
export type Texts = typeof baseTexts & {
  readonly [Group in TextGroup]: GroupTexts[Group] &
    (Group extends keyof AddedTexts ? AddedTexts[Group] : unknown)
}

/** Changes to the texts of one or more groups. Texts that are not passed stay unchanged. */
export type TextChanges = {
  readonly [Group in keyof Texts]?: Texts[Group] extends object ? Partial<Texts[Group]> : Texts[Group]
}

const $changes = atom<TextChanges>({})

/** The changes of the page to the texts. Elements render again when they change. */
export const $textChanges: ReadableAtom<TextChanges> = $changes

/** Changes the texts of all elements on the page, for example to translate them or to use a vertical's own terms. */
export function setTexts(changes: TextChanges): void {
  $changes.set(merged($changes.get(), changes))
}

/**
 * Replaces the texts of all elements on the page, including all changes of earlier calls. To change the language of an open
 * page, pass the texts of the other language; `{}` returns to English.
 */
export function replaceTexts(texts: TextChanges): void {
  $changes.set(texts)
}

/** The result of the last merge for each object of English texts. */
const known = new WeakMap<object, { readonly changes: TextChanges; readonly texts: object }>()

/** Returns the shared texts and the given ones by group, with the changes of the page. */
export function textsOf<English extends object>(english: English): typeof baseTexts & English {
  const changes = $changes.get()
  const last = known.get(english)
  if (last?.changes === changes) return last.texts as typeof baseTexts & English
  const texts = merged({ ...baseTexts, ...english }, changes)
  known.set(english, { changes, texts })
  return texts
}

const noGroups = {}

/** Returns the shared texts, with the changes of the page. */
export const sharedTexts = (): TextsOf<never> => textsOf(noGroups)

/** Changes texts and the groups in them. A group or text that `texts` does not have is added. */
function merged<T extends object>(texts: T, changes: object): T {
  const parts = Object.entries(changes).map(([name, change]) => {
    const before = Reflect.get(texts, name)
    return [name, isGroup(before) && isGroup(change) ? merged(before, change) : change]
  })
  return { ...texts, ...Object.fromEntries(parts) }
}

const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Returns a text of a task or notification: the page's own text for its key, otherwise the service's plain text. */
export function itemText(text: ItemText | null, plain: string): string {
  return text === null ? plain : (sharedTexts().items[text.key]?.(text.parameters) ?? plain)
}

/** Returns the message for an error: the page's own text for the error's code, otherwise the service's message. */
export function errorText({ code, message, requestId }: KitError): string {
  const { errors, common } = sharedTexts()
  const text = errors[code] ?? message
  // After a server fault, the user needs the request id to contact support.
  return code === 'internal' && requestId !== null ? `${text} ${common.requestId(requestId)}` : text
}
