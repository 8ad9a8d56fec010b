import { html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type LiveObjectStore, liveObjectStore } from '../../stores/live-object.ts'
import type { BusinessObjectReference } from '../../wire/business-objects.ts'
import { type ElementProperties, optional } from '../element-property.ts'
import { isOtherTarget } from '../is-other-target.ts'
import { focusOn } from '../parts/focus.ts'
import { keepTimesCurrent } from '../parts/relative-times.ts'
import { StoreElement } from '../store-element.ts'
import { describeChange } from './describe-change.ts'
import { liveEnglish } from './texts.ts'

/**
 * Tells the user that somebody else has changed the object of the page, with a button that shows the change. Keeps
 * counts, notes, files and timelines of the page current. Renders nothing without a change.
 *
 * @tag vk-live-object
 * @fires {CustomEvent<BusinessObjectReference>} vk-show - The user wants to see the change. `preventDefault` keeps the message.
 * @csspart button - Each button.
 * @csspart notice - A message that is no error.
 */
export class LiveObject extends StoreElement<LiveObjectStore, 'live'> {
  static override properties: ElementProperties = {
    target: { attribute: false, hasChanged: isOtherTarget, accept: optional },
  }
  /** The object that the page shows. */
  declare target: BusinessObjectReference | undefined
  protected override readonly english = liveEnglish
  protected readonly storeProperties = ['session', 'target']

  constructor() {
    super()
    keepTimesCurrent(this)
  }

  protected openStore(session: Session): LiveObjectStore | null {
    return this.target === undefined ? null : liveObjectStore(session, this.target)
  }

  protected atomsOf({ $state }: LiveObjectStore): readonly ReadableAtom<unknown>[] {
    return [$state]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null) return nothing
    const state = store.$state.get()
    // The region exists before its text, so that screen readers announce the text.
    return html`<div role="status" aria-busy=${state.status === 'loading' ? 'true' : 'false'}>
      ${
        state.status !== 'changed'
          ? nothing
          : html`<div part="notice" class="banner warning">
              <span>${describeChange(state.event, texts)}</span>
              <button part="button" class="small" @click=${() => this.#show(store)}>${texts.live.show}</button>
            </div>`
      }
    </div>`
  }

  #show(store: LiveObjectStore): void {
    if (this.target === undefined || !this.tell('vk-show', this.target)) return
    // The button disappears. The page may have moved the focus.
    if (this.matches(':focus-within')) focusOn(this)
    store.show()
  }
}
