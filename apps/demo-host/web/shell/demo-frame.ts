import type { BusinessObjectReference, ExecutionResult } from '@vertical-kit/ui-client'
import { html, type TemplateResult } from 'lit'
import { partAt } from '../administration.ts'
import type { App } from '../app.ts'
import { pageTitle } from '../format.ts'
import { icon } from '../icons.ts'
import { LightElement } from '../light-element.ts'
import { listAt } from '../lists.ts'
import { pathOfCreated, pathOfTarget } from '../navigation-targets.ts'
import type { Route } from '../router.ts'
import { hasShortcuts } from '../shortcuts-setting.ts'
import type { Theme } from '../theme.ts'
import { ask } from '../views/ask.ts'
import { currentView } from '../views/current-view.ts'
import type { Workspace } from '../workspace.ts'
import '../views/demo-drawer.ts'
import { DemoEntry } from '../views/demo-entry.ts'
import { DemoList } from '../views/demo-list.ts'
import '../views/demo-palette.ts'
import { sideNavigation } from './side-navigation.ts'
import { userMenu } from './user-menu.ts'

/** The page of a signed-in user: the header with user menu and Work Center badge, the navigation, and the current view. */
export class DemoFrame extends LightElement {
  static override properties = {
    app: { attribute: false },
    workspace: { attribute: false },
    route: { attribute: false },
    search: { attribute: false },
    theme: { attribute: false },
    isWorkOpen: { state: true },
  }
  declare app: App
  declare workspace: Workspace
  declare route: Route
  /** The query of the URL. */
  declare search: string
  declare theme: Theme
  declare private isWorkOpen: boolean
  #shown: Route | null = null
  #isSigningOut = false

  constructor() {
    super()
    this.isWorkOpen = false
  }

  override connectedCallback(): void {
    super.connectedCallback()
    // The event crosses shadow roots, so this listener receives it from every element of the page.
    this.addEventListener('vk-navigate', this.#navigate)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#closeWork()
    for (const dialog of this.querySelectorAll('dialog')) dialog.close()
  }

  protected override render(): TemplateResult {
    const { app, workspace, route, theme } = this
    return html`<a class="skip" href="#main" @click=${this.#skip}>Skip to content</a>
      <header class="top">
        <button class="button quiet square menu-button" popovertarget="navigation" aria-label="Menu">
          ${icon('menu')}
        </button>
        <a class="brand" href="/">${mark} <span class="brand-name">Vertical Kit</span></a>
        <span class="grow"></span>
        <demo-palette .app=${app} .workspace=${workspace}></demo-palette>
        <vk-uploads .session=${workspace.session} @vk-uploads-open=${this.#showUploads}></vk-uploads>
        <vk-work-center-badge
          .session=${workspace.session}
          @click=${this.#openWork}
        ></vk-work-center-badge>
        ${userMenu(workspace, theme, () => void this.#signOut())}
      </header>
      <nav class="side" id="navigation" popover aria-label="Main" @click=${this.#closeMenu}>
        ${sideNavigation(workspace, route)}
      </nav>
      <main class="view" id="main" tabindex="-1">${currentView(app, workspace, this)}</main>
      <demo-drawer
        heading="Work Center"
        .session=${workspace.session}
        .content=${
          this.isWorkOpen
            ? html`<vk-work-center
                layout="drawer"
                .session=${workspace.session}
                .collectPayload=${workspace.collectPayload}
                .noShortcuts=${!hasShortcuts()}
                @vk-executed=${this.#executed}
              ></vk-work-center>`
            : null
        }
        @drawer-close=${this.#closeWork}
      ></demo-drawer>
      <vk-toasts .session=${workspace.session}></vk-toasts>`
  }

  protected override updated(): void {
    const { route } = this
    // An entry sets the title itself, because it knows its name. So does the overview of receivables.
    if (this.querySelector('demo-entry, demo-dashboard') === null) document.title = pageTitle(titleOf(route))
    const left = this.#shown
    this.#shown = route
    // Move the focus to the new view, for keyboard and screen-reader users. The browser sets the focus in the first view.
    if (left === null || left === route) return
    // A user who steps through the entries of a list stays on the link.
    if (left.view === 'entry' && route.view === 'entry' && document.activeElement?.closest('.steps')) return
    this.#focusMain()
    if (route.view === 'entry' && route.id === null) void this.#focusForm()
    if (route.view === 'list' && left.view === 'entry' && route.list === left.list) void this.#focusRow(left)
  }

  /** Shows the document that the primary action of a task has created. */
  readonly #executed = (event: CustomEvent<ExecutionResult>) => {
    const path = pathOfCreated(event.detail)
    if (path === null) return
    this.app.router.follow(path)
    this.#closeWork()
  }

  readonly #navigate = (event: Event) => {
    const path = pathOfTarget((event as CustomEvent).detail)
    if (path === null) return
    event.preventDefault()
    this.app.router.follow(path)
    this.#closeWork()
  }

  /** Opens the drawer as a place of its own in the history, so that Back closes it, also on a page that a link has opened. */
  readonly #openWork = () => {
    if (this.isWorkOpen) return
    this.isWorkOpen = true
    this.app.router.openOverlay(() => {
      this.isWorkOpen = false
    })
  }

  readonly #closeWork = () => {
    this.isWorkOpen = false
    this.app.router.closeOverlay()
  }

  /** Ignores a second click until the first one is decided: the answers of other tabs belong to the last question. */
  readonly #signOut = async () => {
    if (this.#isSigningOut) return
    this.#isSigningOut = true
    await this.#signOutIfSure().finally(() => {
      this.#isSigningOut = false
    })
  }

  async #signOutIfSure(): Promise<void> {
    const { workspaces } = this.app
    const isSure =
      !(await workspaces.wouldLose()) ||
      (await ask({
        title: 'Sign out?',
        message:
          'Unsaved changes, unsent notes and unfinished uploads will be lost, also those of other tabs.',
        confirmLabel: 'Sign out',
      }))
    if (isSure) await workspaces.signOut()
  }

  readonly #showUploads = ({ detail: { typeCode, id } }: CustomEvent<BusinessObjectReference>) => {
    const path = pathOfTarget({ code: typeCode, parameters: { documentId: id } })
    if (path !== null) this.app.router.follow(`${path}?panel=attachments`)
  }

  readonly #skip = (event: Event) => {
    event.preventDefault()
    this.#focusMain()
  }

  readonly #closeMenu = () => {
    const menu = this.querySelector<HTMLElement>('#navigation')
    if (menu?.matches(':popover-open')) menu.hidePopover()
  }

  #focusMain(): void {
    this.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true })
  }

  /** Moves the focus to the first empty field of a new entry, so that the user can type at once. */
  async #focusForm(): Promise<void> {
    const view = this.querySelector('demo-entry')
    if (!(view instanceof DemoEntry)) return
    await view.updateComplete
    if (document.activeElement?.id !== 'main') return
    const fields = [...view.querySelectorAll<HTMLInputElement>('form input')]
    fields.find(({ value }) => value === '')?.focus({ preventScroll: true })
  }

  /** Moves the focus to the row of an entry, so that the user continues where they left the list. */
  async #focusRow({ list, id }: Extract<Route, { view: 'entry' }>): Promise<void> {
    const view = this.querySelector('demo-list')
    if (!(view instanceof DemoList)) return
    await view.updateComplete
    if (document.activeElement?.id !== 'main') return
    const path = `/${list}/${id}`
    const links = [...view.querySelectorAll<HTMLAnchorElement>('tbody a')]
    links.find(({ pathname }) => pathname === path)?.focus()
  }
}

const mark = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="currentColor" /><path
    d="M9 9l7 14 7-14" fill="none" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round" /></svg>`

function titleOf(route: Route): string | null {
  if (route.view === 'list' || route.view === 'entry') return listAt(route.list).title
  if (route.view === 'administration') return partAt(route.section).title
  const names: Partial<Record<Route['view'], string>> = {
    'work-center': 'Work Center',
    team: 'Team tasks',
    preferences: 'Preferences',
    'audit-log': 'Audit log',
    'not-found': 'Not found',
  }
  return names[route.view] ?? null
}

customElements.define('demo-frame', DemoFrame)
