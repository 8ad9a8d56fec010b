import type { KitError } from '@vertical-kit/ui-client'
import { html, type TemplateResult } from 'lit'
import type { App } from '../app.ts'
import { messageOf, pageTitle } from '../format.ts'
import { LightElement } from '../light-element.ts'
import { $theme } from '../theme.ts'
import './demo-frame.ts'
import { signInView } from './sign-in-view.ts'

/** The root element. It shows the sign-in page, or the app shell once the user is signed in. */
export class DemoPage extends LightElement {
  static override properties = { app: { state: true }, hasFailed: { state: true } }
  declare private app: App | null
  declare private hasFailed: boolean
  /** Whether the last rendering has shown the page of a signed-in user. */
  #wasOpen = false

  constructor() {
    super()
    this.app = null
    this.hasFailed = false
  }

  /** Shows the page. Called after the settings of the page are loaded. */
  show(app: App): void {
    // These listeners are never removed, because this element exists as long as the page.
    const { $route, $search } = app.router
    for (const atom of [app.workspaces.$state, app.identity.$notice, $route, $search, $theme]) {
      atom.listen(() => this.requestUpdate())
    }
    this.app = app
  }

  /** Shows the message that the page cannot start. */
  showFailure(): void {
    this.hasFailed = true
  }

  protected override updated(): void {
    const status = this.app?.workspaces.$state.get().status
    if (status === 'signed-out') {
      document.title = pageTitle('Sign in')
      if (this.#wasOpen) this.querySelector<HTMLElement>('#sign-in')?.focus()
    }
    this.#wasOpen = status === 'open'
  }

  protected override render(): TemplateResult {
    if (this.hasFailed) {
      return message(
        'The application could not be started',
        'The server is not responding. Reload the page in a moment.',
      )
    }
    if (this.app === null) return opening()
    const state = this.app.workspaces.$state.get()
    switch (state.status) {
      case 'signed-out':
        return signInView(this.app, state)
      case 'opening':
        return opening()
      case 'refused':
        return refused(this.app, state.error)
      case 'open':
        return html`<demo-frame
          .app=${this.app}
          .workspace=${state.workspace}
          .route=${this.app.router.$route.get()}
          .search=${this.app.router.$search.get()}
          .theme=${$theme.get()}
        ></demo-frame>`
    }
  }
}

const opening = (): TemplateResult =>
  html`<main class="door"><p class="door-opening" role="status">Loading…</p></main>`

function message(title: string, text: string, actions: TemplateResult | string = ''): TemplateResult {
  return html`<main class="door"><div class="door-card">
    <h1>${title}</h1>
    <p>${text}</p>
    ${actions}
  </div></main>`
}

function refused({ workspaces }: App, error: KitError): TemplateResult {
  const actions = html`<p class="row">
    <button class="button" @click=${() => void workspaces.open()}>Try again</button>
    <button class="button quiet" @click=${() => void workspaces.signOut()}>Sign out</button>
  </p>`
  if (error.code === 'auth.inactive') {
    return message('Your account has been deactivated', 'An administrator can reactivate it.', actions)
  }
  return message('The application could not be opened', messageOf(error), actions)
}
