import { css, html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type WorkCenterStore, workCenterStore } from '../../stores/work-center.ts'
import { type ElementProperties, optional } from '../element-property.ts'
import { bellIcon } from '../parts/icons.ts'
import { StoreElement } from '../store-element.ts'
import { workCenterEnglish } from './texts.ts'

const maxShown = 99

/**
 * A button with the current number of items that need the user's attention. The page handles its `click` event.
 *
 * @tag vk-work-center-badge
 * @csspart button - Each button.
 * @csspart count - The number of items.
 */
export class WorkCenterBadge extends StoreElement<WorkCenterStore, 'workCenter'> {
  static override styles = [
    StoreElement.styles,
    // The mark of a lost connection appears after 5 s, because a shorter disconnection does not matter to the user.
    css`
      :host {
        display: inline-block;
        container-type: normal;
        vertical-align: middle;
      }
      button {
        position: relative;
        padding: 0 0.5rem;
      }
      svg {
        width: 1.5rem;
        height: 1.5rem;
      }
      .count {
        min-width: 2.25em;
        padding: 0 0.4em;
        border-radius: 1em;
        background: var(--_accent);
        color: var(--_on-accent);
        font-size: 0.8125em;
        font-weight: 600;
        font-variant-numeric: tabular-nums;
        line-height: 1.6;
        text-align: center;
      }
      .count.none {
        background: var(--_raised);
        color: var(--_muted);
      }
      @media (forced-colors: active) {
        .count,
        .count.none {
          border: 1px solid ButtonText;
          background: ButtonFace;
          color: ButtonText;
        }
      }
      .late {
        position: absolute;
        inset-block: 0.2em auto;
        inset-inline: auto 0.2em;
        width: 0.55em;
        height: 0.55em;
        border: 1px solid var(--_ground);
        border-radius: 50%;
        background: var(--_warning);
        animation: appear 0s 5s both;
      }
      @keyframes appear {
        from {
          visibility: hidden;
        }
      }
    `,
  ]
  static override properties: ElementProperties = { vertical: { accept: optional } }
  /** Limits the count to items about objects of this vertical. The type codes of these objects begin with `<vertical>.`. */
  declare vertical: string | undefined
  protected override readonly english = workCenterEnglish
  protected readonly storeProperties = ['session', 'vertical']

  protected openStore(session: Session): WorkCenterStore {
    const store = workCenterStore(session, { vertical: this.vertical })
    void store.load()
    return store
  }

  protected atomsOf(store: WorkCenterStore): readonly ReadableAtom<unknown>[] {
    return [store.$summary, store.$realtime]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const { workCenter: texts } = this.texts
    const count = store.$summary.get().summary?.attentionCount ?? null
    const isLate = store.$realtime.get() !== 'connected'
    const shown = count === null ? '–' : count > maxShown ? `${maxShown}+` : `${count}`
    // The name contains the shown text, so that users of speech input can say it (WCAG 2.5.3).
    const title = shown.endsWith('+') ? `${texts.title} ${shown}` : texts.title
    const label = count === null ? title : `${title}: ${texts.needAttention(count)}`
    return html`<button part="button" class="quiet" aria-label=${isLate ? `${label}. ${texts.late}` : label} title=${texts.title}>
        ${bellIcon}
        <span part="count" class="count ${count === 0 || count === null ? 'none' : ''}"
          >${shown}</span
        >
        ${isLate ? html`<span class="late" title=${texts.late}></span>` : nothing}
      </button>
      <span class="visually-hidden" role="status">${count === null ? nothing : texts.needAttention(count)}</span>`
  }
}
