import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { define } from '../define.ts'
import { sharedTexts } from '../texts.ts'
import { theme } from '../theme.ts'
import type { Answer, PreviewText, Question, ReasonField } from './ask-dialog.ts'
import { dialogStyle } from './dialog-style.ts'
import { QuestionDialog } from './question-dialog.ts'

/** The content of a confirmation dialog. */
class AskForm extends QuestionDialog<Question, Answer> {
  static override styles = [theme, dialogStyle]
  static override properties: PropertyDeclarations = {
    ...QuestionDialog.properties,
    wrong: { attribute: false, state: true },
    preview: { attribute: false, state: true },
  }
  /** The error message for the reason, or null. */
  declare protected wrong: string | null
  /** The consequences of the current question. Undefined until they are known. */
  declare protected preview: PreviewText | null | undefined

  constructor() {
    super()
    this.wrong = null
  }

  override ask(question: Question): Promise<Answer | null> {
    this.wrong = null
    this.preview = undefined
    void question.preview?.then((preview) => {
      if (this.question === question) this.preview = preview
    })
    return super.ask(question)
  }

  #submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const field = this.renderRoot.querySelector('textarea')
    const reason = field?.value.trim() ?? null
    this.wrong = wrongWith(reason, this.question?.reason)
    if (this.wrong === null) this.end({ reason })
    else field?.focus()
  }

  protected override render(): TemplateResult | typeof nothing {
    const { question } = this
    if (question === null) return nothing
    const { title, message, confirmLabel, isDangerous = false } = question
    return html`<dialog
      part="dialog"
      aria-labelledby="title"
      aria-describedby="message"
      @close=${this.closed}
    >
      <form class="stack" novalidate @submit=${this.#submit}>
        <h2 part="heading" id="title">${title}</h2>
        <p id="message">${message}</p>
        ${this.#preview(question)}
        ${this.#reasonField(question)}
        <div class="row">
          <button part="button" type="button" @click=${() => this.end(null)}>${sharedTexts().common.cancel}</button>
          <button
            part="button ${isDangerous ? 'button-danger' : 'button-primary'}"
            class=${isDangerous ? 'danger' : 'primary'}
          >
            ${confirmLabel}
          </button>
        </div>
      </form>
    </dialog>`
  }

  #preview({ preview }: Question): TemplateResult | typeof nothing {
    if (preview === undefined) return nothing
    const loading = html`<p class="small muted">${sharedTexts().common.loading}</p>`
    const known = this.preview
    return html`<div class="preview" role="status">${known === undefined ? loading : previewText(known)}</div>`
  }

  #reasonField({ reason }: Question): TemplateResult | typeof nothing {
    if (reason === undefined) return nothing
    return html`<label>
      ${reason.label}
      <textarea
        part="field"
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

const previewText = (preview: PreviewText | null): TemplateResult | typeof nothing =>
  preview === null || preview.lines.length === 0
    ? nothing
    : html`<p class="small"><strong>${preview.title}</strong></p>
        <ul class="small">
          ${preview.lines.map((line) => html`<li><bdi>${line}</bdi></li>`)}
        </ul>`

function wrongWith(reason: string | null, field: ReasonField | undefined): string | null {
  if (reason === null || field === undefined) return null
  if (reason === '') return field.missing
  return [...reason].length > field.maxChars ? field.tooLong : null
}

/** Registers the form with the page, and creates one. */
export function createDialog(): AskForm {
  define({ 'vk-ask-form': AskForm })
  return new AskForm()
}
