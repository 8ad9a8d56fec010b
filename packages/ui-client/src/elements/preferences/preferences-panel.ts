import { css, html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type PreferencesStore, preferencesStore } from '../../stores/preferences.ts'
import type { Preference } from '../../wire/work-center.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'

/** `<vk-preferences>`: switches for the user's notification preferences, by category. Marks mandatory preferences. */
export class PreferencesPanel extends StoreElement<PreferencesStore> {
  static override styles = [
    StoreElement.styles,
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
      }
      .preference {
        display: grid;
        grid-template-columns: 1fr auto;
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
      }
      .name {
        font-weight: 500;
      }
      /* A checkbox that looks like a switch. The position of the knob shows the state, so colour is not the only sign. */
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
        inset: 0.1875rem auto 0.1875rem 0.1875rem;
        aspect-ratio: 1;
        border-radius: 50%;
        background: var(--_field-line);
      }
      input[role='switch']:checked {
        border-color: var(--_accent);
        background: var(--_accent);
      }
      input[role='switch']:checked::before {
        inset: 0.1875rem 0.1875rem 0.1875rem auto;
        background: var(--_on-accent);
      }
      input[role='switch'][aria-disabled='true'] {
        opacity: 0.6;
        cursor: not-allowed;
      }
    `,
  ]
  protected readonly storeProperties = ['session']

  protected openStore(session: Session): PreferencesStore {
    const store = preferencesStore(session)
    void store.load()
    return store
  }

  protected atomsOf(store: PreferencesStore): readonly ReadableAtom<unknown>[] {
    return [store.$state, store.$rows]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null) return nothing
    const state = store.$state.get()
    const isWaiting = state.preferences.length === 0 && state.status !== 'ready' && state.status !== 'failed'
    const categories = Map.groupBy(state.preferences, ({ category }) => category)
    return html`<section class="stack" aria-label=${texts.preferences.title}>
      ${
        state.status === 'failed'
          ? html`<div class="banner" role="alert">
              <span>${texts.common.loadFailed} ${errorText(state.error)}</span>
              <button class="small" @click=${() => void store.load()}>${texts.common.retry}</button>
            </div>`
          : nothing
      }
      ${isWaiting ? html`<div class="skeleton" role="status" aria-label=${texts.common.loading}></div>` : nothing}
      ${
        state.status === 'ready' && state.preferences.length === 0
          ? html`<div class="empty">
              <p>${texts.preferences.empty}</p>
              <p class="small">${texts.preferences.emptyHint}</p>
            </div>`
          : nothing
      }
      ${[...categories].map(
        ([category, preferences]) => html`<fieldset>
          <legend>${category}</legend>
          ${preferences.map((preference) => this.#row(store, preference))}
        </fieldset>`,
      )}
    </section>`
  }

  #row(store: PreferencesStore, preference: Preference): TemplateResult {
    const { preferences: texts } = this.texts
    const { code, kind, displayName, description, isMandatory } = preference
    const row = store.$rows.get().get(code)
    const isSaving = row?.status === 'saving'
    const isEnabled = isSaving ? row.isEnabled : preference.isEnabled
    const toggle = (event: Event) => {
      const input = event.target as HTMLInputElement
      void store.set(code, { isEnabled: input.checked })
      // Render again, so that the switch of a mandatory preference returns to its previous position.
      this.requestUpdate()
    }
    return html`<div class="preference">
      <label for=${code}>
        <span class="name">${displayName}</span>
        <span class="small muted">· ${kind === 'Task' ? texts.task : texts.notification}</span>
      </label>
      <input
        id=${code}
        type="checkbox"
        role="switch"
        aria-describedby="${code}-about"
        aria-disabled=${isMandatory}
        aria-busy=${isSaving}
        .checked=${live(isEnabled)}
        @change=${toggle}
      />
      <p id="${code}-about" class="small muted">
        ${description} ${isMandatory ? html`<strong>${texts.mandatory}</strong>` : nothing}
      </p>
      ${
        row?.status === 'failed'
          ? html`<div class="banner" role="alert"><span>${errorText(row.error)}</span></div>`
          : nothing
      }
    </div>`
  }
}
