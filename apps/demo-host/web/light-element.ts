import { StoreElement } from '@vertical-kit/ui-client/elements'
import { LitElement, type PropertyValues } from 'lit'

/**
 * The base class of the page's own elements. They render without a shadow root, so that the page's stylesheet applies and
 * labels can reference ids of other elements. Only the reusable elements of the kit have a shadow root.
 */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this
  }
}

/** The base class of the page's own elements that show a store. It opens, observes and closes the store. */
export abstract class LightStoreElement<S extends object> extends StoreElement<S> {
  protected override createRenderRoot(): HTMLElement {
    return this
  }

  #isRetrying = false

  /** A view can load again by itself what has failed. */
  protected override update(changed: PropertyValues): void {
    const hadRetry = this.querySelector('[role=alert] button:focus') !== null
    super.update(changed)
    if (hadRetry && !this.#isRetrying) this.#leaveRetry()
  }

  /** Loads again after a failure, for a button in an element with the role `alert`. */
  protected async retry(load: () => Promise<unknown>): Promise<void> {
    this.#isRetrying = true
    await load()
    await this.updateComplete
    this.#isRetrying = false
    this.#leaveRetry()
  }

  /** If the button has disappeared, moves its focus to the heading, or to the button of another failure. */
  #leaveRetry(): void {
    const target = this.querySelector<HTMLElement>('[role=alert] button') ?? this.querySelector('h1')
    if (document.activeElement === document.body) target?.focus({ preventScroll: true })
  }
}
