import { LitElement, type PropertyDeclarations } from 'lit'
import { onLeave } from './on-leave.ts'

/** A key that the user still holds after opening the dialog does not answer its question. In a text, it adds lines. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  const isInText = event.target instanceof HTMLTextAreaElement
  if (event.key === 'Enter' && event.repeat && !isInText) event.preventDefault()
}

/**
 * A modal dialog that asks one question at a time. A subclass renders a `<dialog>` while there is a question, and calls `end`
 * with the answer. Escape cancels, if the subclass calls `closed` for the `close` event.
 */
export abstract class QuestionDialog<Question, Answer> extends LitElement {
  static override properties: PropertyDeclarations = { question: { attribute: false, state: true } }
  declare protected question: Question | null
  #answer: (answer: Answer | null) => void = () => {}
  #unobserve: () => void = () => {}

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
    if (dialog !== null) {
      dialog.addEventListener('keydown', ignoreHeldEnter)
      this.show(dialog)
    }
    return answered
  }

  protected show(dialog: HTMLDialogElement): void {
    dialog.showModal()
    // An invisible modal dialog would block the whole page.
    this.#unobserve = onLeave(dialog, () => this.withdraw())
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
    this.#unobserve()
    this.renderRoot.querySelector('dialog')?.close()
    this.question = null
  }
}
