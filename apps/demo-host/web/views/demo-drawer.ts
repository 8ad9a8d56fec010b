import type { Session } from '@vertical-kit/ui-client/stores'
import { html, nothing, render, type TemplateResult } from 'lit'
import { icon } from '../icons.ts'
import { lightDismiss } from '../light-dismiss.ts'
import { LightElement } from '../light-element.ts'

/**
 * A drawer at the side of the page, or a panel that is docked there. The content exists only while it is open, and it keeps
 * its state when the layout changes. The drawer is closed by Escape, by the close button, and by a click outside. Then the
 * focus returns to the previous element. A docked panel is closed by the close button only.
 *
 * @fires drawer-close when the user closes it
 */
export class DemoDrawer extends LightElement {
  static override properties = {
    session: { attribute: false },
    heading: {},
    content: { attribute: false },
    docked: { type: Boolean },
  }
  declare session: Session
  declare heading: string
  /** The content. Null closes the drawer. */
  declare content: TemplateResult | null
  /** Next to the view instead of over the page. */
  declare docked: boolean
  /** Moves between the panel and the drawer, so that a resized window does not lose what the user has typed. */
  readonly #frame = document.createElement('div')
  readonly #dismiss = lightDismiss()

  constructor() {
    super()
    this.heading = ''
    this.content = null
    this.docked = false
    this.#frame.className = 'drawer-frame'
  }

  protected override render(): TemplateResult {
    const { session, heading, content, docked } = this
    const isModal = content !== null && !docked
    return html`${docked && content !== null ? html`<aside class="panel" aria-label=${heading} tabindex="-1"></aside>` : nothing}
      <dialog class="drawer" aria-label=${heading} @close=${this.#closed} @pointerdown=${this.#dismiss.press} @click=${this.#dismiss.click}>
        ${isModal ? html`<vk-toasts .session=${session}></vk-toasts>` : nothing}
      </dialog>`
  }

  protected override updated(): void {
    const { content, docked, heading } = this
    const dialog = this.#dialog
    const place = (docked && this.querySelector('aside')) || dialog
    if (this.#frame.parentElement !== place) place?.prepend(this.#frame)
    render(
      content === null
        ? nothing
        : html`<div class="drawer-head">
              <h2 class="grow">${heading}</h2>
              <button class="button quiet square" aria-label="Close" @click=${this.#close}>${icon('close')}</button>
            </div>
            <div class="drawer-body">${content}</div>`,
      this.#frame,
    )
    if (content === null || docked) dialog?.close()
    else if (dialog?.open === false) dialog.showModal()
  }

  get #dialog(): HTMLDialogElement | null {
    return this.querySelector('dialog')
  }

  readonly #close = () => {
    if (this.docked) this.#tell()
    else this.#dialog?.close()
  }

  /** A drawer that becomes a panel closes its dialog, too. */
  readonly #closed = () => {
    if (!this.docked) this.#tell()
  }

  readonly #tell = () => this.dispatchEvent(new CustomEvent('drawer-close'))
}

customElements.define('demo-drawer', DemoDrawer)
