import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { icon } from '../icons.ts'
import { LightElement } from '../light-element.ts'

/**
 * A drawer at the side of the page. The content exists only while the drawer is open. The drawer is closed by Escape, by
 * the close button, and by a click outside. Then the focus returns to the previous element.
 *
 * @fires drawer-close after the drawer has closed
 */
export class DemoDrawer extends LightElement {
  static override properties = { heading: {}, content: { attribute: false } }
  declare heading: string
  /** The content. Null closes the drawer. */
  declare content: TemplateResult | null

  constructor() {
    super()
    this.heading = ''
    this.content = null
  }

  protected override render(): TemplateResult {
    const isOpen = this.content !== null
    return html`<dialog
      class="drawer"
      aria-label=${this.heading}
      @close=${() => this.dispatchEvent(new CustomEvent('drawer-close'))}
      @click=${this.#closeOutside}
    >
      ${
        isOpen
          ? html`<div class="drawer-head">
                <h2 class="grow">${this.heading}</h2>
                <button class="button quiet square" aria-label="Close" @click=${() => this.#dialog?.close()}>
                  ${icon('close')}
                </button>
              </div>
              <div class="drawer-body">${this.content}</div>`
          : nothing
      }
    </dialog>`
  }

  protected override updated(changed: PropertyValues): void {
    if (!changed.has('content')) return
    if (this.content === null) this.#dialog?.close()
    else if (this.#dialog?.open === false) this.#dialog.showModal()
  }

  get #dialog(): HTMLDialogElement | null {
    return this.querySelector('dialog')
  }

  readonly #closeOutside = (event: MouseEvent) => {
    if (event.target === this.#dialog) this.#dialog?.close()
  }
}

customElements.define('demo-drawer', DemoDrawer)
