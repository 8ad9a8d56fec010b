import { css, html, nothing, type TemplateResult } from 'lit'
import { define } from '../define.ts'
import { dialogStyle } from '../parts/dialog-style.ts'
import { QuestionDialog } from '../parts/question-dialog.ts'
import { textsOf } from '../texts.ts'
import { theme } from '../theme.ts'
import { workCenterEnglish } from './texts.ts'

/**
 * The dialog that lists the keyboard shortcuts. It is a popover, because a modal dialog makes the rest of the page inert, and the
 * browser then calculates the style of every row again. It closes when the user leaves it.
 */
class ShortcutsList extends QuestionDialog<true, never> {
  static override styles = [
    theme,
    dialogStyle,
    css`
      /* Browsers limit the height of modal dialogs only. */
      dialog {
        box-sizing: border-box;
        max-height: calc(100dvh - 2rem);
      }
      dl {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 0.5rem 1rem;
        margin: 0;
      }
      dd {
        margin: 0;
      }
      kbd {
        padding: 0 0.4em;
        border: 1px solid var(--_field-line);
        border-radius: calc(var(--_radius) / 2);
        background: var(--_raised);
        font: inherit;
      }
    `,
  ]

  /** Returns the focus, unless the user has moved it: the browser does not return it from a popover in a shadow root. */
  override async ask(question: true): Promise<null> {
    const before = focused()
    await super.ask(question)
    const isLost = this.matches(':focus-within') || document.activeElement === document.body
    if (isLost && before instanceof HTMLElement) before.focus()
    return null
  }

  protected override show(dialog: HTMLDialogElement): void {
    dialog.showPopover()
  }

  protected override end(answer: null): void {
    this.renderRoot.querySelector('dialog')?.hidePopover()
    super.end(answer)
  }

  /** The event `toggle` would be late: until then, a key goes to the closed list, and is lost. */
  readonly #onBeforeToggle = ({ newState }: ToggleEvent): void => {
    if (newState === 'closed') this.end(null)
  }

  readonly #onFocusOut = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (!(currentTarget as HTMLElement).contains(relatedTarget as Node | null)) this.end(null)
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.question === null) return nothing
    const { workCenter, common } = textsOf(workCenterEnglish)
    const { title, keys } = workCenter.shortcuts
    return html`<dialog
      part="dialog"
      popover
      tabindex="-1"
      aria-labelledby="title"
      @beforetoggle=${this.#onBeforeToggle}
      @focusout=${this.#onFocusOut}
    >
      <div class="stack">
        <h2 part="heading" id="title">${title}</h2>
        <dl>
          ${Object.entries(keys).map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`)}
        </dl>
        <div class="row"><button
            part="button button-primary"
            class="primary"
            autofocus
            @click=${() => this.end(null)}
          >${common.close}</button></div>
      </div>
    </dialog>`
  }
}

/** Returns the element with the focus, also in a shadow root. */
function focused(): Element | null {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  return element
}

/** Registers the list with the page, and creates one. */
export function createDialog(): ShortcutsList {
  define({ 'vk-shortcuts-list': ShortcutsList })
  return new ShortcutsList()
}
