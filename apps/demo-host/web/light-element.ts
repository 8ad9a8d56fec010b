import { StoreElement } from '@vertical-kit/ui-client/elements'
import { LitElement } from 'lit'

/**
 * An element of the page that renders into the page itself, so that the page's one stylesheet dresses it and labels and
 * ids reach across. What others use again brings its own shadow root; these do not.
 */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this
  }
}

/** The same over a store, which it opens, follows and closes. */
export abstract class LightStoreElement<S extends object> extends StoreElement<S> {
  protected override createRenderRoot(): HTMLElement {
    return this
  }
}
