import { html, type TemplateResult } from 'lit'
import type { App } from '../app.ts'
import { LightElement } from '../light-element.ts'
import { StoreController } from '../store-controller.ts'
import type { Workspace } from '../workspace.ts'

/** The frame around all views of a signed-in user: where to go, who one is, and what is shown. */
export class DemoFrame extends LightElement {
  static override properties = { app: { attribute: false }, workspace: { attribute: false } }
  declare app: App
  declare workspace: Workspace
  readonly #stores = new StoreController(this)

  override connectedCallback(): void {
    super.connectedCallback()
    this.#stores.watch(this.app.router.$route)
  }

  protected override render(): TemplateResult {
    const { user } = this.workspace
    return html`<header class="top">
        <p>Signed in as ${user.displayName}</p>
        <button class="button" @click=${() => void this.app.workspaces.signOut()}>Sign out</button>
      </header>
      <main id="main"><h1>${this.app.router.$route.get().view}</h1></main>`
  }
}

customElements.define('demo-frame', DemoFrame)
