import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { define } from '../define.ts'
import { dialogStyle } from '../parts/dialog-style.ts'
import { QuestionDialog } from '../parts/question-dialog.ts'
import { roleName } from '../service-texts.ts'
import { errorText, textsOf } from '../texts.ts'
import { theme } from '../theme.ts'
import { teamFormsEnglish } from './form-texts.ts'
import type { RecipientChoice, RecipientQuestion } from './recipient-dialog.ts'
import { teamEnglish } from './texts.ts'
import { userOptions, userSearch } from './user-choice.ts'

/** The limit in Unicode code points, like in the service. */
const commentMax = 1_000

/** So many titles leave room for the fields on a small screen. */
const titlesMax = 6

/** The content of the dialog in which the user chooses who receives a task. */
class RecipientForm extends QuestionDialog<RecipientQuestion, RecipientChoice> {
  static override styles = [theme, dialogStyle]
  static override properties: PropertyDeclarations = {
    ...QuestionDialog.properties,
    wrong: { attribute: false, state: true },
  }
  declare protected wrong: 'recipient' | 'comment' | null

  constructor() {
    super()
    this.wrong = null
  }

  override ask(question: RecipientQuestion): Promise<RecipientChoice | null> {
    this.wrong = null
    return super.ask(question)
  }

  #search = async ({ target }: Event): Promise<void> => {
    const field = target as HTMLInputElement
    const { value } = field
    const find = this.question?.find
    const result = await find?.(value.trim())
    const { question } = this
    // Ignores a late answer: the user has typed another text, or another question is shown.
    if (result == null || field.value !== value || question === null || question.find !== find) return
    this.question = {
      ...question,
      ...('value' in result ? { recipients: result.value, error: null } : result),
    }
  }

  #submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const select = this.renderRoot.querySelector('select')
    const chosen = select?.value ?? ''
    const comment = this.renderRoot.querySelector('textarea')?.value.trim() ?? ''
    const [kind, ...rest] = chosen.split(':')
    const value = rest.join(':')
    this.wrong = value === '' ? 'recipient' : [...comment].length > commentMax ? 'comment' : null
    if (this.wrong !== null) {
      this.renderRoot.querySelector<HTMLElement>(this.wrong === 'recipient' ? 'select' : 'textarea')?.focus()
      return
    }
    const to = kind === 'user' ? { userId: value } : { roleCode: value }
    const name = select?.selectedOptions[0]?.text ?? ''
    this.end({ to, name, comment: comment === '' ? null : comment })
  }

  protected override render(): TemplateResult | typeof nothing {
    const { question } = this
    if (question === null) return nothing
    const { team: texts, common } = textsOf(teamFormsEnglish)
    const { users, roles } = question.recipients
    const isEmpty = question.find === null && users.length + roles.length === 0
    return html`<dialog part="dialog" aria-labelledby="title" aria-describedby="task" @close=${this.closed}>
      <form
        class="stack"
        novalidate
        @submit=${this.#submit}
        @input=${() => {
          this.wrong = null
        }}
      >
        <h2 part="heading" id="title">${question.title}</h2>
        ${this.#tasks(question)}
        ${isEmpty ? html`<p>${question.titles.length === 1 ? texts.noRecipients : texts.noCommonRecipients}</p>` : this.#fields(question)}
        <div class="row">
          <button part="button" type="button" @click=${() => this.end(null)}>${common.cancel}</button>
          ${isEmpty ? nothing : html`<button part="button button-primary" class="primary">${question.title}</button>`}
        </div>
      </form>
    </dialog>`
  }

  #tasks({ titles }: RecipientQuestion): TemplateResult {
    if (titles.length === 1) return html`<p id="task" class="muted"><bdi>${titles}</bdi></p>`
    const shown = titles.length > titlesMax ? titles.slice(0, titlesMax - 1) : titles
    const more = titles.length - shown.length
    return html`<ul id="task" class="muted">
      ${shown.map((title) => html`<li><bdi>${title}</bdi></li>`)}
      ${more === 0 ? nothing : html`<li>${textsOf(teamFormsEnglish).team.moreTasks(more)}</li>`}
    </ul>`
  }

  #fields({ recipients: { users, roles }, comment, find, error }: RecipientQuestion): TemplateResult {
    const { team: texts } = textsOf(teamFormsEnglish)
    return html`${find === null ? nothing : userSearch(this.#search)}
      <label>
        ${texts.recipient}
        <select part="field" aria-invalid=${this.wrong === 'recipient'} aria-describedby="wrong-recipient">
          <option value="">${texts.choose}</option>
          <optgroup label=${textsOf(teamEnglish).team.users}>
            ${userOptions(users, 'user:')}
          </optgroup>
          <optgroup label=${texts.roles}>
            ${roles.map((role) => html`<option value="role:${role.code}">${roleName(role)}</option>`)}
          </optgroup>
        </select>
      </label>
      <p id="wrong-recipient" class="wrong small" role="alert">
        ${this.wrong === 'recipient' ? texts.mustChoose : error && errorText(error)}
      </p>
      ${
        comment !== null
          ? html`<label>
                ${texts.comment}
                <textarea
                  part="field"
                  rows="3"
                  .value=${comment}
                  aria-invalid=${this.wrong === 'comment'}
                  aria-describedby="wrong-comment"
                ></textarea>
              </label>
              <p id="wrong-comment" class="wrong small" role="alert">
                ${this.wrong === 'comment' ? texts.tooLong : nothing}
              </p>`
          : nothing
      }`
  }
}

/** Registers the form with the page, and creates one. */
export function createDialog(): RecipientForm {
  define({ 'vk-recipient-form': RecipientForm })
  return new RecipientForm()
}
