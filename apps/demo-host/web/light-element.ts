import { StoreElement } from '@vertical-kit/ui-client/elements'
import { LitElement } from 'lit'

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

  /**
   * Loads again after a failure, for a button in an element with the role `alert`. The button disappears, so the focus moves to
   * the heading, or to the button of another failure.
   */
  protected async retry(load: () => Promise<unknown>): Promise<void> {
    await load()
    await this.updateComplete
    const target = this.querySelector<HTMLElement>('[role=alert] button') ?? this.querySelector('h1')
    if (document.activeElement === document.body) target?.focus({ preventScroll: true })
  }
}
