import { css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import { type SubstitutionStore, substitutionStore } from '../../stores/substitution.ts'
import type { Substitution } from '../../wire/team.ts'
import { formatDay } from '../parts/format.ts'
import { loadFailure } from '../parts/load-failure.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'
import { teamEnglish } from './texts.ts'
import { userOptions, userSearch } from './user-choice.ts'

/** The fields of the form. */
type Field = 'userId' | 'from' | 'until'

/** The longest period, like in the service. With a day of 25 hours, it has 179 days. */
const maxDays = 180
const maxMs = maxDays * 86_400_000

/**
 * Shows the user's substitute, and names or ends one. The days are those of the user's time zone.
 *
 * @tag vk-substitution
 * @slot heading - A heading above the content.
 * @csspart button - Each button.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart form - The form in which the user enters something.
 * @csspart loading - The placeholder of content that is loading.
 */
export class SubstitutionForm extends StoreElement<SubstitutionStore, 'team'> {
  static override styles = [
    StoreElement.styles,
    css`
      label {
        display: grid;
        gap: 0.25rem;
        font-weight: 500;
      }
      .wrong {
        color: var(--_danger);
      }
    `,
  ]
  static override properties: PropertyDeclarations = {
    wrong: { attribute: false, state: true },
    firstDay: { attribute: false, state: true },
  }
  /** The first wrong field. */
  declare protected wrong: Field | null
  /** The first day in the form, as its field has it. */
  declare protected firstDay: string
  protected override readonly english = teamEnglish
  protected readonly storeProperties = ['session']

  protected openStore(session: Session): SubstitutionStore {
    this.wrong = null
    this.firstDay = ''
    const store = substitutionStore(session)
    void store.load()
    return store
  }

  protected atomsOf(store: SubstitutionStore): readonly ReadableAtom<unknown>[] {
    return [store.$state]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const { team: texts, common } = this.texts
    const { status, substitution, error } = store.$state.get()
    const isReady = status === 'ready' || status === 'saving'
    return html`<section class="stack" tabindex="-1" aria-label=${texts.substitution}>
      <slot name="heading"></slot>
      <p class="muted">${texts.substitutionHint}</p>
      ${
        status === 'failed'
          ? loadFailure(error, () => this.#keepFocus(store.load()))
          : error &&
            html`<div part="error" class="banner" role="alert"><span>${errorText(error)}</span></div>`
      }
      ${status === 'loading' ? html`<div part="loading" class="skeleton" role="status" aria-label=${common.loading}></div>` : nothing}
      ${substitution === null ? nothing : this.#current(store, substitution)}
      ${isReady ? this.#form(store) : nothing}
    </section>`
  }

  #current(store: SubstitutionStore, { userId, fromUtc, untilUtc }: Substitution): TemplateResult {
    const { team: texts } = this.texts
    const name = store.$state.get().users.find((user) => user.userId === userId)?.displayName ?? ''
    // The period ends with the start of a day: the day before is its last one.
    const lastDay = new Date(Date.parse(untilUtc) - 1).toISOString()
    return html`<div class="row" role="status">
      <span>${texts.substitutedBy(name, formatDay(fromUtc), formatDay(lastDay))}</span>
      <button part="button" class="small" @click=${() => void this.#keepFocus(this.#finish(store, store.end()))}>${texts.endSubstitution}</button>
    </div>`
  }

  #form(store: SubstitutionStore): TemplateResult {
    const { team: texts } = this.texts
    const { status, users, hasMoreUsers } = store.$state.get()
    if (users.length === 0 && !hasMoreUsers) return html`<p>${texts.noSubstitutes}</p>`
    const { firstDay } = this
    const today = dayOf(new Date())
    return html`<form
      part="form"
      class="stack"
      novalidate
      @input=${this.#input}
      @submit=${(event: SubmitEvent) => this.#submit(store, event)}
    >
      ${hasMoreUsers ? userSearch(({ target }) => void store.find((target as HTMLInputElement).value.trim())) : nothing}
      <label>
        ${texts.substitute}
        <select part="field" name="userId" aria-invalid=${this.wrong === 'userId'} aria-describedby="wrong-userId">
          <option value="">${texts.chooseSubstitute}</option>
          ${userOptions(users)}
        </select>
      </label>
      ${this.#message('userId', texts.chooseSubstitute)}
      ${this.#day('from', texts.firstDay)}
      ${this.#day('until', texts.lastDay, {
        min: firstDay > today ? firstDay : today,
        max: firstDay === '' ? nothing : dayOf(startOfDay(firstDay, maxDays - 1)),
      })}
      <div class="row"><button part="button button-primary" class="primary" aria-disabled=${status === 'saving'}>${texts.saveSubstitution}</button></div>
    </form>`
  }

  #day(field: Field, label: string, { min, max }: { min?: unknown; max?: unknown } = {}): TemplateResult {
    return html`<label>
        ${label}
        <input
          part="field"
          type="date"
          name=${field}
          min=${min ?? nothing}
          max=${max ?? nothing}
          aria-invalid=${this.wrong === field}
          aria-describedby="wrong-${field}"
        />
      </label>
      ${this.#message(field, this.texts.team.wrongPeriod)}`
  }

  #message(field: Field, text: string): TemplateResult {
    return html`<p id="wrong-${field}" class="wrong small" role="alert">${this.wrong === field ? text : nothing}</p>`
  }

  #input = ({ currentTarget }: Event): void => {
    this.wrong = null
    this.firstDay = String(new FormData(currentTarget as HTMLFormElement).get('from'))
  }

  /** Keeps the focus in the element if its button disappears after the change. */
  async #keepFocus(changing: Promise<unknown>): Promise<void> {
    await changing
    await this.updateComplete
    if (document.activeElement === document.body) this.renderRoot.querySelector('section')?.focus()
  }

  /** If the page was closed, shows a failure as a message. */
  async #finish(store: SubstitutionStore, saving: Promise<KitError | null>): Promise<void> {
    const { session } = this
    const error = await saving
    if (error === null || session === undefined || store === this.store) return
    feedbackStore(session).announce({ text: errorText(error), tone: 'failure' })
  }

  #submit(store: SubstitutionStore, event: SubmitEvent): void {
    event.preventDefault()
    const form = event.target as HTMLFormElement
    const data = new FormData(form)
    const userId = String(data.get('userId'))
    const from = startOfDay(String(data.get('from')), 0)
    const until = startOfDay(String(data.get('until')), 1)
    const ms = until.getTime() - from.getTime()
    // A comparison with an invalid date is false.
    const isPeriod = ms > 0 && ms <= maxMs && until > new Date()
    this.wrong = userId === '' ? 'userId' : Number.isNaN(from.getTime()) ? 'from' : isPeriod ? null : 'until'
    if (this.wrong !== null) {
      form.querySelector<HTMLElement>(`[name=${this.wrong}]`)?.focus()
      return
    }
    const substitution = { userId, fromUtc: from.toISOString(), untilUtc: until.toISOString() }
    void this.#finish(store, store.set(substitution))
  }
}

/** Returns a local day as a date field has it, such as `2026-11-30`. This is the Swedish format. */
const dayOf = (date: Date): string => date.toLocaleDateString('sv')

/** Returns the start of a local day, some days later; an invalid date if the text is no day. */
function startOfDay(day: string, later: number): Date {
  const [year = 0, month = Number.NaN, date = Number.NaN] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later)
}
