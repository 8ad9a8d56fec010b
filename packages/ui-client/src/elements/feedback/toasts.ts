import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { atom, type ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type FeedbackMessage, type FeedbackStore, feedbackStore } from '../../stores/feedback.ts'
import { focusOn } from '../parts/focus.ts'
import { closeIcon } from '../parts/icons.ts'
import { singleClick } from '../parts/single-click.ts'
import { StoreElement } from '../store-element.ts'
import { feedbackEnglish } from './texts.ts'
import { toastsStyle } from './toasts-style.ts'

/**
 * The connected elements. Among those that are not in a closed dialog, only the latest shows messages: the one in the open dialog,
 * which the page behind cannot show.
 */
const $places = atom<readonly Toasts[]>([])

/**
 * The messages of the session about the user's work, with *Undo* where a change can be undone. They appear at the
 * corner of the window without taking the focus, and stay while the user points at them or has the focus in them. F8
 * moves the focus to the newest message, and back; Escape closes it.
 *
 * Put one at the end of the page, and one into each modal dialog that contains other elements of the kit.
 *
 * @tag vk-toasts
 * @csspart button - Each button.
 * @csspart list - The list of rows.
 * @csspart toast - Each message.
 */
export class Toasts extends StoreElement<FeedbackStore, 'feedback'> {
  static override styles = [StoreElement.styles, toastsStyle]
  protected override readonly english = feedbackEnglish
  protected readonly storeProperties = ['session']
  #isHovered = false
  #hasFocus = false
  #hadFocus = false
  /** The element that had the focus before the messages, and the elements around it. */
  #back: readonly EventTarget[] = []

  /** The dialog around this element. */
  #dialog: HTMLDialogElement | null = null

  /** Lets the elements find out again which of them is visible. */
  readonly #look = (): void => $places.set([...$places.get()])

  override connectedCallback(): void {
    $places.set([...$places.get(), this])
    this.#dialog = this.closest('dialog')
    this.#dialog?.addEventListener('close', this.#look)
    super.connectedCallback()
    addEventListener('keydown', this.#press)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    removeEventListener('keydown', this.#press)
    this.#dialog?.removeEventListener('close', this.#look)
    this.#keep({ isHovered: false, hasFocus: false })
    $places.set($places.get().filter((place) => place !== this))
  }

  protected openStore(session: Session): FeedbackStore {
    return feedbackStore(session)
  }

  protected atomsOf({ $state }: FeedbackStore): readonly ReadableAtom<unknown>[] {
    return [$state, $places]
  }

  get #messages(): readonly FeedbackMessage[] {
    const isPlace = $places.get().findLast((one) => one.checkVisibility()) === this
    return (isPlace ? this.store?.$state.get() : null) ?? []
  }

  get #focused(): Element | null {
    return this.shadowRoot?.activeElement ?? null
  }

  get #list(): HTMLElement | null {
    return this.renderRoot.querySelector('[popover]')
  }

  protected override render(): TemplateResult {
    const messages = this.#messages
    const { feedback: texts } = this.texts
    // The region exists before its text, so that screen readers announce the text.
    return html`<div class="visually-hidden" role="status" aria-atomic="false">
        ${repeat(
          messages,
          ({ id }) => id,
          ({ text, isUndoable }) => html`<p>${text} ${isUndoable ? texts.hint : nothing}</p>`,
        )}
      </div>
      <section
        popover="manual"
        aria-label=${texts.title}
        @pointerenter=${() => this.#keep({ isHovered: true })}
        @pointerleave=${() => this.#keep({ isHovered: false })}
        @focusin=${this.#entered}
        @focusout=${() => this.#keep({ hasFocus: false })}
        @keydown=${this.#escape}
        @mousedown=${(event: Event) => event.preventDefault()}
      >
        <ul part="list">
          ${repeat(
            messages,
            ({ id }) => id,
            (message) => this.#message(message),
          )}
        </ul>
      </section>`
  }

  #message({ id, text, tone, isUndoable }: FeedbackMessage): TemplateResult {
    const { feedback: texts, common } = this.texts
    return html`<li part="toast" class=${tone} data-id=${id}>
      <span>${text}</span>
      ${
        isUndoable
          ? html`<button part="button" class="small" aria-label=${texts.undoOf(text)} @click=${singleClick(() => this.#undo(id))}>
              ${texts.undo}
            </button>`
          : nothing
      }
      <button
        part="button"
        class="quiet small"
        aria-label=${texts.dismissOf(text)}
        title=${common.close}
        @click=${singleClick(() => this.store?.dismiss(id))}
      >
        ${closeIcon}
      </button>
    </li>`
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    this.#hadFocus = this.#focused !== null
  }

  protected override updated(): void {
    const list = this.#list
    const isOpen = list?.matches(':popover-open') === true
    const isWanted = this.#messages.length > 0
    if (isWanted && !isOpen) list?.showPopover()
    // The message with the focus has gone.
    if (this.#hadFocus && this.#focused === null) {
      if (isWanted) this.#focusNewest()
      else this.#return()
    }
    if (!isWanted && isOpen) {
      list.hidePopover()
      this.#keep({ isHovered: false, hasFocus: false })
    }
  }

  /** Holds the messages while one of the reasons applies. */
  #keep({ isHovered = this.#isHovered, hasFocus = this.#hasFocus }): void {
    this.#isHovered = isHovered
    this.#hasFocus = hasFocus
    if (isHovered || hasFocus) this.store?.hold()
    else this.store?.resume()
  }

  readonly #entered = ({ relatedTarget }: FocusEvent): void => {
    if (!this.#hasFocus && relatedTarget instanceof HTMLElement && this.#back.length === 0)
      this.#back = [relatedTarget]
    this.#keep({ hasFocus: true })
  }

  readonly #press = (event: KeyboardEvent): void => {
    if (event.key !== 'F8' || this.#messages.length === 0) return
    event.preventDefault()
    if (this.#focused === null) {
      this.#back = event.composedPath()
      this.#focusNewest()
    } else this.#return()
  }

  /** Escape closes the message with the focus, but not the dialog that contains this element. */
  readonly #escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    this.store?.dismiss(Number(this.#focused?.closest<HTMLElement>('li')?.dataset['id']))
  }

  /** Undoes a change. The user then continues where they were. */
  #undo(id: number): void {
    if (this.#focused !== null) this.#return()
    this.store?.undo(id)
  }

  #focusNewest(): void {
    this.renderRoot.querySelector<HTMLElement>('li:last-child button')?.focus()
  }

  /** Returns the focus. If its element has left the page, the innermost one around it gets the focus. */
  #return(): void {
    const isPlace = (one: EventTarget) => one instanceof HTMLElement && one.isConnected
    const place = this.#back.find(isPlace) as HTMLElement | undefined
    if (place !== undefined) focusOn(place)
    this.#back = []
  }
}
