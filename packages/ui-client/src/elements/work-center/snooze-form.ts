import { css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { type SnoozePreset, snoozePresets } from '../../stores/work-center-snooze.ts'
import { define } from '../define.ts'
import { dialogStyle } from '../parts/dialog-style.ts'
import { formatInstant } from '../parts/format.ts'
import { QuestionDialog } from '../parts/question-dialog.ts'
import { textsOf } from '../texts.ts'
import { theme } from '../theme.ts'
import { workCenterDialogsEnglish } from './dialog-texts.ts'
import { workCenterEnglish } from './texts.ts'

/** The content of the dialog in which the user selects the end of a snooze. */
class SnoozeForm extends QuestionDialog<string, string> {
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
    ...QuestionDialog.properties,
    presets: { attribute: false, state: true },
    isWrong: { attribute: false, state: true },
  }
  declare protected presets: readonly SnoozePreset[]
  declare protected isWrong: boolean

  constructor() {
    super()
    this.presets = []
    this.isWrong = false
  }

  /** `subject` is the title of the task, or the number of tasks. Resolves with an instant (ISO 8601, UTC), or with null. */
  override ask(subject: string): Promise<string | null> {
    this.presets = snoozePresets(new Date())
    this.isWrong = false
    return super.ask(subject)
  }

  #submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const at = new Date(this.renderRoot.querySelector('input')?.value ?? '')
    if (at.getTime() > Date.now()) this.end(at.toISOString())
    else this.isWrong = true
  }

  protected override render(): TemplateResult | typeof nothing {
    const subject = this.question
    if (subject === null) return nothing
    const { workCenter: texts, common } = textsOf(workCenterDialogsEnglish)
    return html`<dialog part="dialog" aria-labelledby="title" aria-describedby="item" @close=${this.closed}>
      <form class="stack" novalidate @submit=${this.#submit}>
        <h2 part="heading" id="title">${texts.snoozeTitle}</h2>
        <p id="item" class="muted"><bdi>${subject}</bdi></p>
        ${this.presets.map(
          ({
            code,
            atUtc,
          }) => html`<button part="button" type="button" class="preset" @click=${() => this.end(atUtc)}>
            ${texts.presets[code]} <span class="small muted">${formatInstant(atUtc)}</span>
          </button>`,
        )}
        <label>
          ${texts.otherTime}
          <input
            part="field"
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
          <button part="button" type="button" @click=${() => this.end(null)}>${common.cancel}</button>
          <button part="button button-primary" class="primary">${textsOf(workCenterEnglish).workCenter.snooze}</button>
        </div>
      </form>
    </dialog>`
  }
}

/** Registers the form with the page, and creates one. */
export function createDialog(): SnoozeForm {
  define({ 'vk-snooze-form': SnoozeForm })
  return new SnoozeForm()
}
