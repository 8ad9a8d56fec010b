import { css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import { onDemand } from '../../client/on-demand.ts'
import type { Session } from '../../session/session.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import { type SubstitutionStore, substitutionStore } from '../../stores/substitution.ts'
import type { Substitution } from '../../wire/team.ts'
import { formatDay } from '../parts/format.ts'
import { loadFailure } from '../parts/load-failure.ts'
import { partOf } from '../parts/needed-part.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'
import type { SubstitutionField } from './substitution-fields.ts'
import { teamEnglish } from './texts.ts'

const substitutionFields = onDemand(() => import('./substitution-fields.ts'))

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
  declare protected wrong: SubstitutionField | null
  /** The first day in the form, as its field has it. */
  declare protected firstDay: string
  protected override readonly english = teamEnglish
  protected readonly storeProperties = ['session']
  readonly #fields = partOf(this, substitutionFields, (module) => module)

  protected openStore(session: Session): SubstitutionStore {
    this.wrong = null
    this.firstDay = ''
    const store = substitutionStore(session)
    void store.load()
    void this.#fields.need()
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
          ? loadFailure(error, store.load)
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

  #form(store: SubstitutionStore): unknown {
    const { wrong, firstDay } = this
    const form = { store, wrong, firstDay }
    return this.#fields.show(({ substitutionFields }) =>
      substitutionFields({
        ...form,
        input: (first) => {
          this.wrong = null
          this.firstDay = first
        },
        refuse: (field) => {
          this.wrong = field
        },
        submit: (substitution) => void this.#finish(store, store.set(substitution)),
      }),
    )
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
}
