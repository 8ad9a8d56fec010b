import { css, html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { $texts } from '../texts.ts'
import { theme } from '../theme.ts'

/** What a person is asked before something is done. */
export interface Question {
  readonly title: string
  readonly message: string
  readonly confirmLabel: string
  readonly isDangerous?: boolean
  /** Asks for a reason that must be given, of so many characters at most. */
  readonly reason?: { readonly label: string; readonly missing: string; readonly maxChars: number }
}

/** What was answered; `reason` is null where none was asked for. */
export interface Answer {
  readonly reason: string | null
}

/**
 * A question over the page. The browser's own modal dialog: it keeps the focus, gives it back, and Escape is no.
 */
export class AskDialog extends LitElement {
  static override styles = [
    theme,
    css`
      dialog {
        width: min(30rem, calc(100vw - 2rem));
        padding: 1.25rem;
        border: 1px solid var(--_line);
        border-radius: calc(var(--_radius) * 1.5);
        background: var(--_ground);
        color: var(--_text);
        box-shadow: 0 1rem 3rem #0004;
      }
      dialog::backdrop {
        background: #0006;
      }
      .row {
        justify-content: flex-end;
      }
      label {
        display: grid;
        gap: 0.25rem;
        font-weight: 500;
      }
      .wrong {
        color: var(--_danger);
        font-weight: 400;
      }
    `,
  ]
  static override properties: PropertyDeclarations = {
    question: { attribute: false, state: true },
    isReasonMissing: { attribute: false, state: true },
  }
  declare question: Question | null
  declare isReasonMissing: boolean
  #answer: (answer: Answer | null) => void = () => {}

  constructor() {
    super()
    this.question = null
    this.isReasonMissing = false
  }

  /** Asks, and resolves with the answer; with null when the person thinks better of it. */
  async ask(question: Question): Promise<Answer | null> {
    this.#answer(null)
    this.question = question
    this.isReasonMissing = false
    await this.updateComplete
    const answered = new Promise<Answer | null>((resolve) => {
      this.#answer = resolve
    })
    this.#dialog?.showModal()
    return answered
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
    const reason = this.renderRoot.querySelector('textarea')?.value.trim() ?? null
    if (reason === '') this.isReasonMissing = true
    else this.#end({ reason })
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
        maxlength=${reason.maxChars}
        required
        aria-invalid=${this.isReasonMissing}
        aria-describedby="wrong"
        @input=${() => {
          this.isReasonMissing = false
        }}
      ></textarea>
      <span id="wrong" class="wrong small" role="alert">${this.isReasonMissing ? reason.missing : nothing}</span>
    </label>`
  }
}
