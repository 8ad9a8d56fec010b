import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit'
import type { NotesStore } from '../../stores/notes.ts'
import type { Mention } from '../../wire/notes.ts'
import { textsOf } from '../texts.ts'
import { noteToolsEnglish } from './tool-texts.ts'

/** The open list of users, below the editor with this key. */
interface OpenList {
  readonly key: string
  /** The position of the `@` in the text field, and the position after the typed name. */
  readonly place: MentionPlace
  readonly users: readonly Mention[]
  readonly active: number
}

/** The part of a text that a picked name replaces. */
export interface MentionPlace {
  readonly start: number
  readonly end: number
}

/** An `@` at the start of a word, and up to two words of a name, before the cursor. */
const begun = /(?:^|[\s(])@([\p{L}\p{N}.'’-]*(?: [\p{L}\p{N}.'’-]*)?)$/u

/**
 * Lists users while the user types a name after an `@`. The text field keeps the focus: arrow keys select a user, Enter or
 * Tab picks the user, and Escape closes the list.
 */
export class MentionPicker implements ReactiveController {
  readonly #host: ReactiveControllerHost
  #list: OpenList | null = null
  #search = 0
  /** The text field in which the user last typed. */
  field: HTMLTextAreaElement | null = null

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    host.addController(this)
  }

  hostDisconnected(): void {
    this.close()
  }

  close(): void {
    this.#search += 1
    if (this.#list === null) return
    this.#list = null
    this.#host.requestUpdate()
  }

  /** Looks for an unfinished mention before the cursor, and opens, changes or closes the list. */
  async follow(store: NotesStore, key: string, field: HTMLTextAreaElement): Promise<void> {
    this.field = field
    const before = field.value.slice(0, field.selectionStart)
    const text = begun.exec(before)?.[1]
    if (text === undefined || field.selectionStart !== field.selectionEnd) return this.close()
    this.#search += 1
    const mine = this.#search
    const place = { start: before.length - text.length - 1, end: before.length }
    if (this.#list?.key === key) {
      // Before the answer, only users of the old list whose names contain the text can be picked.
      const name = text.toLowerCase()
      const users = this.#list.users.filter(({ displayName }) => displayName.toLowerCase().includes(name))
      this.#show({ key, place, users })
    }
    const users = (await store.searchMentionable(text)).slice(0, 8)
    if (mine === this.#search) this.#show({ key, place, users })
  }

  /** Shows these users. A user selected with the arrow keys stays selected. */
  #show(list: Omit<OpenList, 'active'>): void {
    const { users, active } = this.#list ?? { users: [], active: 0 }
    const selected = active > 0 ? users[active]?.userId : undefined
    const index = list.users.findIndex(({ userId }) => userId === selected)
    this.#list = list.users.length === 0 ? null : { ...list, active: Math.max(index, 0) }
    this.#host.requestUpdate()
  }

  /** Handles a key for the open list. Returns whether the key was for the list. */
  press(event: KeyboardEvent, pick: (user: Mention, place: MentionPlace) => void): boolean {
    const list = this.#list
    if (list === null || event.isComposing) return false
    if (this.field?.selectionStart !== list.place.end) {
      // The cursor has left the name.
      this.close()
      return false
    }
    const { users, active } = list
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) {
      this.#list = { ...list, active: (active + step + users.length) % users.length }
      this.#host.requestUpdate()
    } else if (event.key === 'Escape') {
      this.close()
    } else if (
      (event.key === 'Enter' || event.key === 'Tab') &&
      !event.ctrlKey &&
      !event.metaKey &&
      !event.shiftKey
    ) {
      const user = users[active]
      if (user !== undefined) pick(user, list.place)
    } else {
      return false
    }
    event.preventDefault()
    event.stopPropagation()
    return true
  }

  /** The attributes of the text field: the ids of the list and of the selected user. */
  idsFor(key: string): { readonly list: string | typeof nothing; readonly option: string | typeof nothing } {
    if (this.#list?.key !== key) return { list: nothing, option: nothing }
    return { list: listId, option: optionId(this.#list.active) }
  }

  render(key: string, pick: (user: Mention, place: MentionPlace) => void): TemplateResult {
    const { notes: texts } = textsOf(noteToolsEnglish)
    const list = this.#list?.key === key ? this.#list : null
    return html`<p class="visually-hidden" role="status">
        ${list === null ? '' : texts.mentionHint(list.users.length)}
      </p>
      ${
        list === null
          ? nothing
          : html`<ul part="menu" class="picker" role="listbox" id=${listId} aria-label=${texts.mention}>
              ${list.users.map(
                ({ userId, displayName }, index) => html`<li
                  role="option"
                  id=${optionId(index)}
                  aria-selected=${index === list.active ? 'true' : 'false'}
                  @mousedown=${(event: Event) => event.preventDefault()}
                  @click=${() => pick({ userId, displayName }, list.place)}
                >
                  <bdi>${displayName}</bdi>
                </li>`,
              )}
            </ul>`
      }`
  }
}

const listId = 'mention-list'
const optionId = (index: number): string => `mention-${index}`
