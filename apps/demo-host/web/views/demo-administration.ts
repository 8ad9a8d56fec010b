import type { Session } from '@vertical-kit/ui-client/stores'
import { html, type TemplateResult } from 'lit'
import type { AdministrationSection } from '../../src/page/page-routes.ts'
import { partAt } from '../administration.ts'
import type { App } from '../app.ts'
import { LightElement } from '../light-element.ts'

/** An element that can contain unsaved changes. */
type Guarded = HTMLElement & { readonly hasUnsavedChanges: boolean }

/** A part of the administration. Its elements are loaded when an administrator opens the first part. */
export class DemoAdministration extends LightElement {
  static override properties = {
    app: { attribute: false },
    session: { attribute: false },
    section: {},
    status: { state: true },
  }
  declare app: App
  declare session: Session
  declare section: AdministrationSection
  declare private status: 'loading' | 'ready' | 'failed'

  constructor() {
    super()
    this.status = 'loading'
    void this.#load()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.app.router.guard(() => this.querySelector<Guarded>('vk-users, vk-roles')?.hasUnsavedChanges === true)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.app.router.guard(null)
  }

  async #load(): Promise<void> {
    try {
      const { defineAdministrationElements } = await import('@vertical-kit/ui-client/elements/administration')
      defineAdministrationElements()
      this.status = 'ready'
    } catch {
      // A browser does not load a failed module again, so only a reload of the page helps.
      this.status = 'failed'
    }
  }

  protected override render(): TemplateResult {
    return html`<div class="view-head"><h1>${partAt(this.section).title}</h1></div>
      <div class="card section">${this.#content()}</div>`
  }

  #content(): TemplateResult {
    const { status, section, session } = this
    if (status === 'loading') return html`<p role="status">Loading…</p>`
    if (status === 'failed') {
      return html`<p role="alert">This part of the application could not be loaded.</p>
        <p><button class="button" @click=${() => location.reload()}>Reload</button></p>`
    }
    switch (section) {
      case 'users':
        return html`<vk-users .session=${session}></vk-users>`
      case 'roles':
        return html`<vk-roles .session=${session}></vk-roles>`
      case 'outbox':
        return html`<vk-outbox .session=${session}></vk-outbox>`
      case 'status':
        return html`<vk-status .session=${session}></vk-status>`
    }
  }
}

customElements.define('demo-administration', DemoAdministration)
