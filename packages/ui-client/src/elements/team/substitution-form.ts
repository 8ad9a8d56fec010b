import { css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import { type SubstitutionStore, substitutionStore } from '../../stores/substitution.ts'
import type { Substitution } from '../../wire/team.ts'
import { formatDay } from '../parts/format.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'
import { teamEnglish } from './texts.ts'

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
  static override properties: PropertyDeclarations = { isWrong: { attribute: false, state: true } }
  declare protected isWrong: boolean
  protected override readonly english = teamEnglish
  protected readonly storeProperties = ['session']

  constructor() {
    super()
    this.isWrong = false
  }

  protected openStore(session: Session): SubstitutionStore {
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
    return html`<section class="stack" aria-label=${texts.substitution}>
      <slot name="heading"></slot>
      <p class="muted">${texts.substitutionHint}</p>
      ${
        error === null
          ? nothing
          : html`<div part="error" class="banner" role="alert">
              <span>${errorText(error)}</span>
              <button part="button" class="small" @click=${() => void store.load()}>${common.retry}</button>
            </div>`
      }
      ${status === 'loading' ? html`<div part="loading" class="skeleton" role="status" aria-label=${common.loading}></div>` : nothing}
      ${substitution === null ? nothing : this.#current(store, substitution)}
      ${status === 'loading' ? nothing : this.#form(store)}
    </section>`
  }

  #current(store: SubstitutionStore, { userId, fromUtc, untilUtc }: Substitution): TemplateResult {
    const { team: texts } = this.texts
    const name = store.$state.get().users.find((user) => user.userId === userId)?.displayName ?? ''
    // The period ends with the start of a day: the day before is its last one.
    const lastDay = new Date(Date.parse(untilUtc) - 1).toISOString()
    return html`<div class="row" role="status">
      <span>${texts.substitutedBy(name, formatDay(fromUtc), formatDay(lastDay))}</span>
      <button part="button" class="small" @click=${() => void this.#finish(store, store.end())}>${texts.endSubstitution}</button>
    </div>`
  }

  #form(store: SubstitutionStore): TemplateResult {
    const { team: texts } = this.texts
    const { status, users } = store.$state.get()
    return html`<form part="form" class="stack" novalidate @submit=${(event: SubmitEvent) => this.#submit(store, event)}>
      <label>
        ${texts.substitute}
        <select part="field" name="userId">
          <option value="">${texts.chooseSubstitute}</option>
          ${users.map(({ userId, displayName }) => html`<option value=${userId}>${displayName}</option>`)}
        </select>
      </label>
      <label>${texts.firstDay} <input part="field" type="date" name="from" /></label>
      <label>${texts.lastDay} <input part="field" type="date" name="until" /></label>
      <p class="wrong small" role="alert">${this.isWrong ? texts.wrongPeriod : nothing}</p>
      <div class="row"><button part="button button-primary" class="primary" aria-disabled=${status === 'saving'}>${texts.saveSubstitution}</button></div>
    </form>`
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
    const data = new FormData(event.target as HTMLFormElement)
    const userId = String(data.get('userId') ?? '')
    const from = startOfDay(String(data.get('from') ?? ''), 0)
    const until = startOfDay(String(data.get('until') ?? ''), 1)
    // A comparison with an invalid date is false.
    this.isWrong = userId === '' || !(from < until)
    if (this.isWrong) return
    const substitution = { userId, fromUtc: from.toISOString(), untilUtc: until.toISOString() }
    void this.#finish(store, store.set(substitution))
  }
}

/** Returns the start of a local day, some days later; an invalid date if the text is no day. */
function startOfDay(day: string, later: number): Date {
  const [year = 0, month = Number.NaN, date = Number.NaN] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later)
}
