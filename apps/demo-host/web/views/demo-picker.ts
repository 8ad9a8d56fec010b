import { isKitError } from '@vertical-kit/ui-client'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { messageOf } from '../format.ts'
import { LightElement } from '../light-element.ts'
import {
  announcementOf,
  type Choice,
  type ChoicesState,
  choicesNote,
  type FindChoices,
  nothingFound,
  type OpenChoices,
  onlyChoice,
  option,
} from './picker-choices.ts'

/**
 * A text field that finds entries while the user types: an editable combobox with a list box. Arrow keys move in the list,
 * Enter chooses, and Escape closes the list. When the focus leaves without Tab, the text of the chosen entry returns.
 *
 * @fires picker-type with the typed text, or null when the text of the chosen entry returns
 * @fires picker-fail if the entry of a typed text is needed, and the search does not find exactly one
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export class DemoPicker extends LightElement {
  static override properties = {
    inputId: {},
    value: {},
    text: {},
    placeholder: {},
    invalid: {},
    described: {},
    find: { attribute: false },
    onChoose: { attribute: false },
    choosesOnTab: { type: Boolean },
    state: { state: true },
    active: { state: true },
    typed: { attribute: false },
    isLeft: { state: true },
  }
  declare inputId: string
  declare value: string
  /** The name of the chosen entry. */
  declare text: string
  /** The text for which the user has not chosen an entry yet, or null. */
  declare typed: string | null
  declare placeholder: string
  declare invalid: string | undefined
  declare described: string | undefined
  declare find: FindChoices
  /** Called with the chosen value, or with an empty text after the user has removed the text. */
  declare onChoose: (value: string) => void
  /** Whether Tab chooses the active choice of a typed text, or keeps the text and chooses its entry later. */
  declare choosesOnTab: boolean
  declare private state: ChoicesState
  /** The position of the active choice, or -1. */
  declare private active: number
  /** Tab has left the field before the choices for the typed text arrived. */
  declare private isLeft: boolean
  #searching: AbortController | null = null
  /** Resolves at the end of the last search. */
  #searched = Promise.resolve()
  /** The user pressed Enter before the choices for the typed text arrived. */
  #choosesFirst = false
  /** The user moved to the active choice. */
  #hasMoved = false
  /** The moves while the list still shows the choices of an earlier text; null afterwards. They apply to those of the typed text. */
  #earlyMoves: (1 | -1)[] | null = null

  constructor() {
    super()
    this.text = ''
    this.placeholder = ''
    this.choosesOnTab = false
    this.state = { status: 'closed' }
    this.active = -1
    this.typed = null
    this.isLeft = false
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.isLeft = false
    this.#close()
  }

  protected override render(): TemplateResult {
    const { state, active, inputId } = this
    const isOpen = state.status !== 'closed' && !this.isLeft
    return html`<input
        class="input picker-input"
        id=${inputId}
        role="combobox"
        autocomplete="off"
        aria-autocomplete="list"
        aria-expanded=${isOpen}
        aria-controls="${inputId}-choices"
        aria-activedescendant=${isOpen && active >= 0 ? `${inputId}-${active}` : nothing}
        aria-invalid=${this.invalid ?? nothing}
        aria-describedby=${this.described ?? nothing}
        placeholder=${this.placeholder}
        .value=${live(this.typed ?? this.text)}
        @input=${this.#type}
        @keydown=${this.#press}
        @click=${() => this.#openList()}
        @blur=${this.#leave}
      />
      <div class="picker-list" ?hidden=${!isOpen} @mousedown=${(event: Event) => event.preventDefault()}>
        <ul role="listbox" id="${inputId}-choices" aria-label="Choices">
          ${isOpen ? state.found.choices.map((choice, index) => this.#option(choice, index)) : nothing}
        </ul>
        ${isOpen ? choicesNote(state) : nothing}
      </div>
      <span class="visually-hidden" role="status">${state.status === 'found' ? announcementOf(state.found) : ''}</span>`
  }

  #option(choice: Choice, index: number): TemplateResult {
    const [id, isActive] = [`${this.inputId}-${index}`, index === this.active]
    return option(choice, { id, isActive, choose: () => this.#choose(choice) })
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('active')) {
      this.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
    }
  }

  readonly #type = (event: Event) => {
    this.isLeft = false
    this.typed = (event.target as HTMLInputElement).value
    this.#tell('picker-type', this.typed)
    this.#search(this.typed)
  }

  /**
   * Chooses the entry of a typed text after its search: the one to which the user moved, the only one, or the only one with this
   * name. Resolves with false if the text does not say which entry the user means.
   */
  async chooseTyped(): Promise<boolean> {
    if (this.typed?.trim() === '' || this.#isUnchanged) this.#leave()
    // No search yet for a text that the page has restored.
    if (this.typed !== null && /closed|failed/.test(this.state.status)) this.#search(this.typed)
    while (this.typed !== null && this.state.status === 'searching') await this.#searched
    if (this.typed === null) return true
    const choice = this.#certainChoice()
    if (choice !== undefined) this.#choose(choice)
    // The list shows the error of a failed search.
    else if (this.state.status === 'found') this.#tell('picker-fail', null)
    return choice !== undefined
  }

  /** Whether the user typed the name of the chosen entry again. Another entry can have the same name. */
  get #isUnchanged(): boolean {
    return this.value !== '' && this.typed?.trim() === this.text.trim()
  }

  #certainChoice(): Choice | undefined {
    const { state, typed } = this
    if (state.status !== 'found') return undefined
    const isActive = this.#hasMoved || this.#choosesFirst
    return isActive ? state.found.choices[this.active] : onlyChoice(state.found, typed ?? '')
  }

  /** Moves the focus to the field and opens the list. */
  open(): void {
    this.querySelector('input')?.focus()
    this.#openList()
  }

  #openList(): void {
    if (this.state.status === 'closed') this.#search(this.typed ?? '')
  }

  #search(text: string): void {
    this.#searched = this.#searchFor(text)
  }

  async #searchFor(text: string): Promise<void> {
    this.#searching?.abort()
    const searching = new AbortController()
    this.#searching = searching
    this.#choosesFirst = false
    this.#hasMoved = false
    this.#earlyMoves = []
    this.active = -1
    this.state = {
      status: 'searching',
      found: this.state.status === 'closed' ? nothingFound : this.state.found,
    }
    const show = (state: OpenChoices) => {
      this.state = state
      if (text !== '' && this.active < 0)
        this.active = state.found.choices.findIndex(({ isDisabled }) => !isDisabled)
      const moves = this.#earlyMoves ?? []
      this.#earlyMoves = null
      for (const step of moves) this.#move(step)
    }
    let known = nothingFound
    try {
      const found = await this.find(text, searching.signal, (choices) => {
        known = { choices, hasMore: false }
        show({ status: 'searching', found: known })
      })
      if (searching.signal.aborted) return
      show({ status: 'found', found })
      // After Tab, the values of the other fields decide, too.
      if (this.#choosesFirst && !this.isLeft) this.#chooseActive()
    } catch (error) {
      if (searching.signal.aborted) return
      if (!isKitError(error)) {
        this.#close()
        throw error
      }
      show({ status: 'failed', found: known, message: messageOf(error) })
    }
  }

  readonly #press = (event: KeyboardEvent) => {
    // These keys belong to the input method.
    if (event.isComposing) return
    this.isLeft = false
    const isOpen = this.state.status !== 'closed'
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault()
        if (isOpen) this.#move(event.key === 'ArrowDown' ? 1 : -1)
        else this.#openList()
        return
      case 'Enter':
        if (!isOpen) return
        event.preventDefault()
        if (this.state.status === 'searching' && this.active < 0) this.#choosesFirst = true
        else this.#chooseActive()
        return
      case 'Tab':
        if (this.choosesOnTab && !event.shiftKey && this.typed?.trim() && !this.#isUnchanged)
          this.active < 0 ? void this.#chooseLater() : this.#chooseActive()
        return
      case 'Escape':
        if (!isOpen) return
        // The key closes only the list, not a dialog around it.
        event.preventDefault()
        event.stopPropagation()
        this.#close()
    }
  }

  #move(step: 1 | -1): void {
    if (this.state.status === 'closed') return
    if (this.#earlyMoves !== null) {
      this.#earlyMoves.push(step)
      return
    }
    const { length } = this.state.found.choices
    if (length === 0) return
    this.#hasMoved = true
    this.active = this.active < 0 && step < 0 ? length - 1 : (this.active + step + length) % length
  }

  #chooseActive(): void {
    const choice = this.state.status === 'closed' ? undefined : this.state.found.choices[this.active]
    if (choice !== undefined) this.#choose(choice)
  }

  #choose({ value, label, isDisabled }: Choice, onChoose = this.onChoose): void {
    if (isDisabled) return
    this.text = label
    this.#close()
    onChoose(value)
  }

  /** Keeps the typed text, and chooses its entry when the choices arrive, unless the user continues in the field. */
  async #chooseLater(): Promise<void> {
    // The function of this rendering knows the values that the other fields had when the user left this one.
    const { typed, onChoose } = this
    this.isLeft = true
    if (typed !== null && /closed|failed/.test(this.state.status)) this.#search(typed)
    // The browser moves the focus after the key. Until then, the text must not return to that of the chosen entry.
    await new Promise((left) => this.querySelector('input')?.addEventListener('blur', left, { once: true }))
    while (this.isLeft && this.state.status === 'searching') await this.#searched
    if (!this.isLeft) return
    this.isLeft = false
    const choice = this.typed === typed ? this.#certainChoice() : undefined
    if (choice !== undefined) return this.#choose(choice, onChoose)
    this.active = -1
    this.state = { status: 'closed' }
    if (this.typed !== null) this.#tell('picker-fail', null)
  }

  readonly #leave = () => {
    if (this.isLeft) return
    if (this.typed?.trim() === '' && this.value !== '') this.onChoose('')
    this.#close()
  }

  #close(): void {
    this.#searching?.abort()
    this.#searching = null
    if (this.typed !== null) this.#tell('picker-type', null)
    this.typed = null
    this.active = -1
    this.state = { status: 'closed' }
  }

  #tell(event: 'picker-type' | 'picker-fail', detail: string | null): void {
    this.dispatchEvent(new CustomEvent(event, { detail }))
  }
}

customElements.define('demo-picker', DemoPicker)
