import { css, html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type PreferencesStore, preferenceKey, preferencesStore } from '../../stores/preferences.ts'
import type { Preference } from '../../wire/work-center.ts'
import { loadFailure } from '../parts/load-failure.ts'
import { definitionName, groupName } from '../service-texts.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'
import { mailSettingsForm } from './mail-settings-form.ts'
import { preferencesEnglish } from './texts.ts'

/**
 * Switches for the user's notification preferences, by category. Marks mandatory preferences.
 *
 * @tag vk-preferences
 * @slot heading - A heading above the content.
 * @slot empty - Replaces the text for a user without preferences.
 * @csspart button - Each button.
 * @csspart checkbox - Each checkbox and switch.
 * @csspart empty - The text of an empty list.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart group - A group of fields or rows, with its name.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart row - The preferences of one kind of message.
 * @csspart row-details - The details below the name of a row.
 * @csspart row-title - The name of a row.
 */
export class PreferencesPanel extends StoreElement<PreferencesStore, 'preferences'> {
  static override styles = [
    StoreElement.styles,
    // A switch is a checkbox with another look. The position of its knob shows the state, so colour is not the only sign. Forced
    // colours would give the knob the colour of its ground; they keep system colours.
    css`
      fieldset {
        min-width: 0;
        margin: 0;
        padding: 0.25rem 1rem;
        border: 1px solid var(--_line);
        border-radius: var(--_radius);
      }
      legend {
        padding: 0 0.375rem;
        font-weight: 600;
        overflow-wrap: anywhere;
      }
      .preference {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 0 1rem;
        align-items: center;
        padding: 0.625rem 0;
        border-top: 1px solid var(--_line);
      }
      legend + .preference {
        border-top: 0;
      }
      .preference > .banner {
        grid-column: 1 / -1;
        margin-block-start: 0.375rem;
      }
      .channels {
        display: flex;
        flex-wrap: wrap;
        gap: 1rem;
      }
      .channel {
        display: grid;
        justify-items: center;
        width: 5rem;
      }
      .mails {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem 1rem;
        align-items: center;
        padding: 0.625rem 0;
      }
      @container (width < 26rem) {
        .preference {
          grid-template-columns: minmax(0, 1fr);
        }
        .channel {
          justify-items: start;
        }
      }
      .mails select {
        width: auto;
        max-width: 100%;
      }
      .name {
        font-weight: 500;
      }
      input[role='switch'] {
        appearance: none;
        position: relative;
        width: 2.5rem;
        height: 1.5rem;
        margin: 0;
        border: 1px solid var(--_field-line);
        border-radius: 1rem;
        background: var(--_ground);
        cursor: pointer;
      }
      input[role='switch']::before {
        content: '';
        position: absolute;
        inset-block: 0.1875rem;
        inset-inline: 0.1875rem auto;
        aspect-ratio: 1;
        border-radius: 50%;
        background: var(--_field-line);
      }
      input[role='switch']:checked {
        border-color: var(--_accent);
        background: var(--_accent);
      }
      input[role='switch']:checked::before {
        inset-inline: auto 0.1875rem;
        background: var(--_on-accent);
      }
      input[role='switch'][aria-disabled='true'] {
        opacity: 0.6;
        cursor: not-allowed;
      }
      @media (forced-colors: active) {
        input[role='switch']::before {
          background: ButtonText;
        }
        input[role='switch']:checked {
          background: Highlight;
        }
        input[role='switch']:checked::before {
          background: HighlightText;
        }
      }
    `,
  ]
  protected override readonly english = preferencesEnglish
  protected readonly storeProperties = ['session']

  protected openStore(session: Session): PreferencesStore {
    const store = preferencesStore(session)
    void store.load()
    return store
  }

  protected atomsOf(store: PreferencesStore): readonly ReadableAtom<unknown>[] {
    return [store.$state, store.$rows, store.$mail]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null) return nothing
    const state = store.$state.get()
    const isWaiting = state.preferences.length === 0 && state.status !== 'ready' && state.status !== 'failed'
    const categories = Map.groupBy(state.preferences, ({ category }) => category)
    return html`<section class="stack" aria-label=${texts.preferences.title}>
      <slot name="heading"></slot>
      ${state.status === 'failed' ? loadFailure(state.error, store.load) : nothing}
      ${isWaiting ? html`<div part="loading" class="skeleton" role="status" aria-label=${texts.common.loading}></div>` : nothing}
      ${
        state.status === 'ready' && state.preferences.length === 0
          ? html`<div part="empty" class="empty">
              <slot name="empty">
                <p>${texts.preferences.empty}</p>
                <p class="small">${texts.preferences.emptyHint}</p>
              </slot>
            </div>`
          : nothing
      }
      ${[...categories].map(
        ([category, preferences]) => html`<fieldset part="group">
          <legend>${groupName(category)}</legend>
          ${[...Map.groupBy(preferences, ({ code }) => code).values()].map((channels) => this.#row(store, channels))}
        </fieldset>`,
      )}
      ${mailSettingsForm(store.$mail.get(), texts, { save: store.setMail, load: store.load })}
    </section>`
  }

  /** Renders the preferences of one definition: one switch for each channel. */
  #row(store: PreferencesStore, channels: readonly Preference[]): TemplateResult | typeof nothing {
    const { preferences: texts } = this.texts
    const [preference] = channels
    if (preference === undefined) return nothing
    const { code, kind } = preference
    const { definitions } = this.texts.service
    const failed = channels.flatMap((one) => {
      const row = store.$rows.get().get(preferenceKey(one))
      return row?.status === 'failed' ? [row.error] : []
    })
    return html`<div part="row" class="preference" role="group" aria-labelledby="${code}-name">
      <label for=${code} id="${code}-name">
        <span part="row-title" class="name">${definitionName(preference)}</span>
        <span class="small muted">· ${kind === 'Task' ? texts.task : texts.notification}</span>
      </label>
      <div class="channels">
        ${channels.map((one) => this.#channel(store, one, { isLabelled: channels.length > 1 }))}
      </div>
      <p part="row-details" id="${code}-about" class="small muted">
        ${definitions[code]?.description ?? preference.description} ${channels.some((one) => one.isMandatory) ? html`<strong>${texts.mandatory}</strong>` : nothing}
      </p>
      ${failed.map((error) => html`<div part="error" class="banner" role="alert"><span>${errorText(error)}</span></div>`)}
    </div>`
  }

  /** Renders the switch of one channel. The name of the item names the first one, and the channel names the others. */
  #channel(
    store: PreferencesStore,
    preference: Preference,
    { isLabelled }: { readonly isLabelled: boolean },
  ): TemplateResult {
    const { preferences: texts } = this.texts
    const { code, channel, isMandatory } = preference
    const row = store.$rows.get().get(preferenceKey(preference))
    const isSaving = row?.status === 'saving'
    const isEnabled = isSaving ? row.isEnabled : preference.isEnabled
    const toggle = (event: Event) => {
      const input = event.target as HTMLInputElement
      void store.set(code, { isEnabled: input.checked, channel })
      // Render again, so that the switch of a mandatory preference returns to its previous position.
      this.requestUpdate()
    }
    const isFirst = channel === 'InApp'
    return html`<span class="channel">
      ${isLabelled ? html`<span class="small muted" aria-hidden="true">${isFirst ? texts.inApp : texts.byMail}</span>` : nothing}
      <input
        part="checkbox"
        id=${isFirst ? code : `${code}-mail`}
        type="checkbox"
        role="switch"
        aria-label=${isFirst ? nothing : texts.byMail}
        aria-describedby="${code}-about"
        aria-disabled=${isMandatory}
        aria-busy=${isSaving}
        .checked=${live(isEnabled)}
        @change=${toggle}
      />
    </span>`
  }
}
