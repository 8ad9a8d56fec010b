import { css, html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type WatchStore, watchStore } from '../../stores/watch.ts'
import type { BusinessObjectReference } from '../../wire/business-objects.ts'
import { type ElementProperties, optional } from '../element-property.ts'
import { isOtherTarget } from '../is-other-target.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'
import { liveEnglish } from './texts.ts'

/**
 * A button with which the user follows an object, or no longer. Renders nothing until the state is known.
 *
 * @tag vk-follow
 * @csspart button - Each button.
 * @csspart error - An error message.
 */
export class FollowButton extends StoreElement<WatchStore, 'live'> {
  static override styles = [
    StoreElement.styles,
    css`
      :host {
        display: inline-block;
        container-type: normal;
      }
    `,
  ]
  static override properties: ElementProperties = {
    target: { attribute: false, hasChanged: isOtherTarget, accept: optional },
  }
  /** The object to follow. */
  declare target: BusinessObjectReference | undefined
  protected override readonly english = liveEnglish
  protected readonly storeProperties = ['session', 'target']

  protected openStore(session: Session): WatchStore | null {
    if (this.target === undefined) return null
    const store = watchStore(session, this.target)
    void store.load()
    return store
  }

  protected atomsOf({ $state }: WatchStore): readonly ReadableAtom<unknown>[] {
    return [$state]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    const state = store?.$state.get()
    if (store === null || state === undefined || !('isWatching' in state)) return nothing
    const { isWatching, error } = state
    return html`<button
        part="button"
        aria-pressed=${isWatching ? 'true' : 'false'}
        title=${texts.live.followHint}
        @click=${() => void store.toggle()}
      >
        ${isWatching ? texts.live.following : texts.live.follow}
      </button>
      ${error === null ? nothing : html`<span part="error" class="small" role="alert">${errorText(error)}</span>`}`
  }
}
