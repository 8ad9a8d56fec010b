import { css, html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { type SnoozePreset, snoozePresets } from '../../stores/work-center-snooze.ts'
import { dialogStyle } from '../parts/dialog-style.ts'
import { formatInstant } from '../parts/format.ts'
import { $texts } from '../texts.ts'
import { theme } from '../theme.ts'

/** A dialog in which the user selects the end of a snooze. Uses the browser's modal dialog; Escape cancels. */
export class SnoozeDialog extends LitElement {
  static override styles = [
    theme,
    dialogStyle,
    css`
      :host {
        --_width: 24rem;
      }
      .preset {
        justify-content: space-between;
      }
    `,
  ]
  static override properties: PropertyDeclarations = {
    subject: { attribute: false, state: true },
    presets: { attribute: false, state: true },
    isWrong: { attribute: false, state: true },
  }
  /** The title of the task, or the number of tasks. */
  declare subject: string | null
  declare presets: readonly SnoozePreset[]
  declare isWrong: boolean
  #answer: (untilUtc: string | null) => void = () => {}

  constructor() {
    super()
    this.subject = null
    this.presets = []
    this.isWrong = false
  }

  /** Shows the dialog. Resolves with an instant (ISO 8601, UTC), or with null when the user cancels. */
  async ask(subject: string): Promise<string | null> {
    this.withdraw()
    this.subject = subject
    this.presets = snoozePresets(new Date())
    this.isWrong = false
    await this.updateComplete
    const answered = new Promise<string | null>((resolve) => {
      this.#answer = resolve
    })
    this.renderRoot.querySelector('dialog')?.showModal()
    return answered
  }

  /** Closes the dialog without an answer. Called when the item is no longer shown. */
  withdraw(): void {
    this.#end(null)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.withdraw()
  }

  #end(untilUtc: string | null): void {
    this.#answer(untilUtc)
    this.#answer = () => {}
    this.renderRoot.querySelector('dialog')?.close()
    this.subject = null
  }

  #submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const at = new Date(this.renderRoot.querySelector('input')?.value ?? '')
    if (at.getTime() > Date.now()) this.#end(at.toISOString())
    else this.isWrong = true
  }

  protected override render(): TemplateResult | typeof nothing {
    const { subject } = this
    if (subject === null) return nothing
    const { workCenter: texts, common } = $texts.get()
    return html`<dialog aria-labelledby="title" aria-describedby="item" @close=${() => this.#end(null)}>
      <form class="stack" novalidate @submit=${this.#submit}>
        <h2 id="title">${texts.snoozeTitle}</h2>
        <p id="item" class="muted"><bdi>${subject}</bdi></p>
        ${this.presets.map(
          ({ code, atUtc }) => html`<button type="button" class="preset" @click=${() => this.#end(atUtc)}>
            ${texts.presets[code]} <span class="small muted">${formatInstant(atUtc)}</span>
          </button>`,
        )}
        <label>
          ${texts.otherTime}
          <input
            type="datetime-local"
            aria-invalid=${this.isWrong}
            aria-describedby="wrong"
            @input=${() => {
              this.isWrong = false
            }}
          />
        </label>
        <p id="wrong" class="wrong small" role="alert">${this.isWrong ? texts.mustBeAhead : nothing}</p>
        <div class="row">
          <button type="button" @click=${() => this.#end(null)}>${common.cancel}</button>
          <button class="primary">${texts.snooze}</button>
        </div>
      </form>
    </dialog>`
  }
}
