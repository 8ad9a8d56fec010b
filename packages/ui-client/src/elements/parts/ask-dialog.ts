import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { $texts } from '../texts.ts'
import { theme } from '../theme.ts'
import { dialogStyle } from './dialog-style.ts'

/** What a person is asked before something is done. */
export interface Question {
  readonly title: string
  readonly message: string
  readonly confirmLabel: string
  readonly isDangerous?: boolean
  readonly reason?: ReasonField
}

/** A reason that must be given. */
export interface ReasonField {
  readonly label: string
  /** What to say when there is none. */
  readonly missing: string
  /** What to say when it is longer than `maxChars`. */
  readonly tooLong: string
  /** In Unicode code points, as the service counts; `maxlength` of a field would count otherwise. */
  readonly maxChars: number
  /** What is there to begin with. */
  readonly value?: string
}

/** What was answered; `reason` is null where none was asked for. */
export interface Answer {
  readonly reason: string | null
}

/**
 * A question over the page. The browser's own modal dialog: it keeps the focus, gives it back, and Escape is no.
 */
export class AskDialog extends LitElement {
  static override styles = [theme, dialogStyle]
  static override properties: PropertyDeclarations = {
    question: { attribute: false, state: true },
    wrong: { attribute: false, state: true },
  }
  declare question: Question | null
  /** What is wrong with the reason. */
  declare wrong: string | null
  #answer: (answer: Answer | null) => void = () => {}

  constructor() {
    super()
    this.question = null
    this.wrong = null
  }

  /** Asks, and resolves with the answer; with null when the person thinks better of it. */
  async ask(question: Question): Promise<Answer | null> {
    this.#answer(null)
    const answered = new Promise<Answer | null>((resolve) => {
      this.#answer = resolve
    })
    this.question = question
    this.wrong = null
    await this.updateComplete
    this.#dialog?.showModal()
    return answered
  }

  /** Takes the question back: what it was about is not shown any more. */
  withdraw(): void {
    this.#end(null)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#end(null)
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog')
  }

  #end(answer: Answer | null): void {
    this.#answer(answer)
    this.#answer = () => {}
    this.#dialog?.close()
    this.question = null
  }

  #submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const field = this.renderRoot.querySelector('textarea')
    const reason = field?.value.trim() ?? null
    this.wrong = wrongWith(reason, this.question?.reason)
    if (this.wrong === null) this.#end({ reason })
    else field?.focus()
  }

  protected override render(): TemplateResult | typeof nothing {
    const { question } = this
    if (question === null) return nothing
    const { title, message, confirmLabel, isDangerous = false } = question
    return html`<dialog
      aria-labelledby="title"
      aria-describedby="message"
      @cancel=${() => this.#end(null)}
      @close=${() => this.#end(null)}
    >
      <form class="stack" novalidate @submit=${this.#submit}>
        <h2 id="title">${title}</h2>
        <p id="message">${message}</p>
        ${this.#reasonField(question)}
        <div class="row">
          <button type="button" @click=${() => this.#end(null)}>${$texts.get().common.cancel}</button>
          <button class=${isDangerous ? 'danger' : 'primary'}>${confirmLabel}</button>
        </div>
      </form>
    </dialog>`
  }

  #reasonField({ reason }: Question): TemplateResult | typeof nothing {
    if (reason === undefined) return nothing
    return html`<label>
      ${reason.label}
      <textarea
        rows="3"
        dir="auto"
        required
        .value=${reason.value ?? ''}
        aria-invalid=${this.wrong !== null}
        aria-describedby="wrong"
        @input=${() => {
          this.wrong = null
        }}
      ></textarea>
      <span id="wrong" class="wrong small" role="alert">${this.wrong ?? nothing}</span>
    </label>`
  }
}

function wrongWith(reason: string | null, field: ReasonField | undefined): string | null {
  if (reason === null || field === undefined) return null
  if (reason === '') return field.missing
  return [...reason].length > field.maxChars ? field.tooLong : null
}
