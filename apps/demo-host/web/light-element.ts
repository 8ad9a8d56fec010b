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
