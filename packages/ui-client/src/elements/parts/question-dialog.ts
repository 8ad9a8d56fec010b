import { LitElement, type PropertyDeclarations } from 'lit'

/**
 * A modal dialog that asks one question at a time. A subclass renders a `<dialog>` while there is a question, and calls `end`
 * with the answer. Escape cancels, if the subclass calls `closed` for the `close` event.
 */
export abstract class QuestionDialog<Question, Answer> extends LitElement {
  static override properties: PropertyDeclarations = { question: { attribute: false, state: true } }
  declare protected question: Question | null
  #answer: (answer: Answer | null) => void = () => {}
  /** Ends the question of a dialog that the page hides: an invisible modal dialog blocks the whole page. */
  readonly #size = new ResizeObserver(() => this.#endIfHidden())

  constructor() {
    super()
    this.question = null
  }

  /** Shows the dialog. Resolves with the answer, or with null when the user cancels. */
  async ask(question: Question): Promise<Answer | null> {
    this.withdraw()
    const answered = new Promise<Answer | null>((resolve) => {
      this.#answer = resolve
    })
    this.question = question
    await this.updateComplete
    const dialog = this.renderRoot.querySelector('dialog')
    if (dialog !== null) this.show(dialog)
    return answered
  }

  #endIfHidden(): void {
    if (this.renderRoot.querySelector('dialog')?.checkVisibility() === false) this.withdraw()
  }

  protected show(dialog: HTMLDialogElement): void {
    dialog.showModal()
    this.#size.observe(dialog)
    this.#endIfHidden()
  }

  /** Closes the dialog without an answer. Called when its subject is no longer shown. */
  withdraw(): void {
    this.end(null)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.withdraw()
  }

  /** Cancels the question of a dialog that the browser has closed. The event is late: the next question can be open. */
  protected readonly closed = (): void => {
    if (this.renderRoot.querySelector('dialog')?.open !== true) this.end(null)
  }

  protected end(answer: Answer | null): void {
    this.#answer(answer)
    this.#answer = () => {}
    this.#size.disconnect()
    this.renderRoot.querySelector('dialog')?.close()
    this.question = null
  }
}
