import { html, nothing, type TemplateResult } from 'lit'
import type { App } from '../app.ts'
import { findEntries } from '../data/find-entries.ts'
import { icon } from '../icons.ts'
import { isDialogOpen } from '../is-dialog-open.ts'
import { lightDismiss } from '../light-dismiss.ts'
import { LightElement } from '../light-element.ts'
import { permissionFor, viewableLists } from '../lists.ts'
import type { Workspace } from '../workspace.ts'
import { nameOf, summaryOf } from './columns.ts'
import { DemoPicker } from './demo-picker.ts'
import type { Choice, FindChoices } from './picker-choices.ts'

/** Whether the keyboard has the Command key. The property is deprecated, but not all browsers have its successor. */
const isApple = /^(Mac|iP)/.test(navigator.platform)

/** Opens places and recent documents, performs actions of the open document, and finds entries of all lists. Ctrl+K or Cmd+K opens it. */
export class DemoPalette extends LightElement {
  static override properties = {
    app: { attribute: false },
    workspace: { attribute: false },
    isOpen: { state: true },
  }
  declare app: App
  declare workspace: Workspace
  declare private isOpen: boolean
  readonly #dismiss = lightDismiss()

  constructor() {
    super()
    this.isOpen = false
  }

  override connectedCallback(): void {
    super.connectedCallback()
    // Before the field, whose first Escape would only close its list.
    document.addEventListener('keydown', this.#press, { capture: true })
    addEventListener('popstate', this.#close)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('keydown', this.#press, { capture: true })
    removeEventListener('popstate', this.#close)
  }

  protected override render(): TemplateResult {
    return html`<button
        class="button palette-button"
        aria-keyshortcuts="Control+K Meta+K"
        @click=${() => void this.#open()}
      >
        ${icon('search')} <span class="palette-label">Search</span> <kbd>${isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <dialog
        class="dialog palette"
        aria-label="Search and go to"
        @close=${() => {
          this.isOpen = false
        }}
        @pointerdown=${this.#dismiss.press}
        @click=${this.#dismiss.click}
      >
        ${
          this.isOpen
            ? html`<label class="visually-hidden" for="palette">Search and go to</label>
                <demo-picker
                  .inputId=${'palette'}
                  .value=${''}
                  .placeholder=${'Places, actions, documents'}
                  .find=${this.#find}
                  .onChoose=${this.#follow}
                ></demo-picker>`
            : nothing
        }
      </dialog>`
  }

  get #dialog(): HTMLDialogElement | null {
    return this.querySelector('dialog')
  }

  readonly #press = (event: KeyboardEvent) => {
    // An input method uses Escape to end a composition.
    if (event.isComposing) return
    if (event.key === 'Escape' && this.isOpen) {
      event.preventDefault()
      return this.#dialog?.close()
    }
    if (event.key.toLowerCase() !== 'k' || event.ctrlKey === event.metaKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    if (!isDialogOpen(event)) void this.#open()
  }

  /** Back leaves the document whose actions the choices are. */
  readonly #close = () => this.#dialog?.close()

  async #open(): Promise<void> {
    this.isOpen = true
    this.#dialog?.showModal()
    await this.updateComplete
    const picker = this.querySelector('demo-picker')
    if (!(picker instanceof DemoPicker)) return
    await picker.updateComplete
    picker.open()
  }

  readonly #follow = (chosen: string) => {
    this.#dialog?.close()
    if (chosen.startsWith(actionPrefix)) buttonsOfActions().get(chosen)?.click()
    else if (chosen !== '') this.app.router.follow(chosen)
  }

  readonly #find: FindChoices = async (text, signal, show) => {
    const q = text.trim()
    const { session, may, desk } = this.workspace
    const known = [...desk.$recent.get(), ...actionsOfDocument(), ...this.#places(), ...this.#actions()]
    const choices = [...known.filter(({ label }) => startsWords(label, q)), ...actionsAfterSave()]
    if (q === '') return { choices, hasMore: false }
    // Places and actions need no service.
    if (choices.length > 0) show(choices)
    const searched = { lists: viewableLists(may), complete: desk.complete }
    const found = await findEntries(session, searched, { q, signal })
    const entries = found.map(({ list, entry }) => ({
      value: `/${list.path}/${entry.id}`,
      label: nameOf(entry),
      hint: summaryOf(list, entry, desk),
    }))
    const all = new Map([...choices, ...entries].map((choice) => [choice.value, choice]))
    return { choices: [...all.values()], hasMore: false }
  }

  /** The places of the navigation. It contains only places that the user is allowed to see. */
  #places(): readonly Choice[] {
    return [...document.querySelectorAll<HTMLAnchorElement>('#navigation a')].map((link) => ({
      value: link.pathname,
      label: link.textContent.trim(),
      hint: 'Go to',
    }))
  }

  #actions(): readonly Choice[] {
    const { may } = this.workspace
    return viewableLists(may)
      .filter((list) => may(permissionFor(list, 'create')))
      .map(({ path, one }) => ({ value: `/${path}/new`, label: `New ${one}`, hint: 'Create' }))
  }
}

const actionPrefix = 'action:'

/** Returns the buttons of the actions of the open document, by their choices. */
function buttonsOfActions(): ReadonlyMap<string, HTMLElement> {
  const bar = document.querySelector('demo-entry vk-document-actions')?.shadowRoot
  const buttons = bar?.querySelectorAll<HTMLElement>('[data-action]:not([aria-busy])') ?? []
  return new Map([...buttons].map((button) => [actionPrefix + button.dataset['action'], button]))
}

/** Returns the choice of an action. An unavailable one has the reason that its menu shows. */
function choiceOfAction(value: string, button: HTMLElement): Choice {
  const label = button.textContent.trim()
  if (button.ariaDisabled !== 'true') return { value, label, hint: nameOfDocument() }
  const reason = button.parentElement?.querySelector('.why p:not(.visually-hidden)')
  return { value, label, hint: reason?.textContent.trim() ?? '', isDisabled: true }
}

const nameOfDocument = () => document.querySelector('demo-entry h1')?.textContent.trim() ?? ''

/** Returns a choice with the reason why the page shows no actions of the open document, if it has unsaved changes. */
function actionsAfterSave(): readonly Choice[] {
  const hint = document.querySelector('demo-entry .entry-hint')?.textContent
  return hint ? [{ value: '', label: `Actions of ${nameOfDocument()}`, hint, isDisabled: true }] : []
}

/** Returns the actions of the open document, and the link that registers a payment of an invoice. */
function actionsOfDocument(): readonly Choice[] {
  const links = document.querySelectorAll<HTMLAnchorElement>('demo-entry .balance-action a')
  return [
    ...[...buttonsOfActions()].map(([value, button]) => choiceOfAction(value, button)),
    ...[...links].map((link) => ({
      value: link.pathname + link.search,
      label: link.textContent.trim(),
      hint: nameOfDocument(),
    })),
  ]
}

/** Returns whether each word of the search text begins a word of the label. */
function startsWords(label: string, q: string): boolean {
  const words = label.toLowerCase().split(/\s+/)
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((start) => words.some((word) => word.startsWith(start)))
}

customElements.define('demo-palette', DemoPalette)
