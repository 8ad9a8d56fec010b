import type { BusinessObjectReference } from '@vertical-kit/ui-client'
import {
  type ContentSummaryStore,
  contentSummaryStore,
  featuresStore,
  type Session,
} from '@vertical-kit/ui-client/stores'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ReadableAtom } from 'nanostores'
import type { App } from '../app.ts'
import { icon } from '../icons.ts'
import { isDialogOpen } from '../is-dialog-open.ts'
import { LightStoreElement } from '../light-element.ts'
import type { ListDefinition } from '../lists.ts'
import type { Workspace } from '../workspace.ts'
import './demo-drawer.ts'
import type { DemoDrawer } from './demo-drawer.ts'
import { type DrawerEntry, type DrawerName, drawerContent, drawerEntries } from './entry-drawers.ts'

/** From this width, a panel is docked next to the entry. Below, it is a drawer over the entry. */
const wide = matchMedia('(min-width: 1200px)')

/**
 * Buttons with badges for an entry's attachments, notes and history, and the panel that shows the selected content. The URL
 * names the open panel, so that links and Back open and close it.
 */
export class DemoEntryTools extends LightStoreElement<ContentSummaryStore> {
  static override properties = {
    app: { attribute: false },
    workspace: { attribute: false },
    list: { attribute: false },
    entryId: { attribute: false },
    search: { attribute: false },
    refused: { state: true },
  }
  declare app: App
  declare workspace: Workspace
  declare list: ListDefinition
  declare entryId: string
  /** The query of the URL. */
  declare search: string
  /** The drawer that the user tried to open without permission. The page then shows the reason. */
  declare private refused: DrawerName | null
  protected readonly storeProperties = ['session', 'list', 'entryId']

  constructor() {
    super()
    this.refused = null
  }

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('dragenter', this.#openForFiles)
    wide.addEventListener('change', this.#resize)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    removeEventListener('dragenter', this.#openForFiles)
    wide.removeEventListener('change', this.#resize)
  }

  /** Opens the attachments when the user drags files over the page, so that a drop anywhere on the page adds the files. */
  readonly #openForFiles = (event: DragEvent) => {
    const { workspace, list } = this
    if (event.dataTransfer?.types.includes('Files') !== true || isDialogOpen(event)) return
    const drawers = drawerEntries(workspace, list, { attachments: null, notes: null })
    const attachments = drawers.find(({ name }) => name === 'attachments')
    const mayAdd = attachments?.refusal === null && workspace.may('system.attachments.create')
    if (mayAdd && this.#open !== 'attachments') this.#toggle('attachments')
  }

  readonly #resize = () => this.requestUpdate()

  protected override openStore(session: Session): ContentSummaryStore {
    this.refused = null
    const summary = contentSummaryStore(session, this.#target)
    void featuresStore(session).load()
    void summary.load()
    return summary
  }

  protected override atomsOf(summary: ContentSummaryStore): readonly ReadableAtom<unknown>[] {
    return [featuresStore(this.workspace.session).$state, summary.$state]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { workspace, list, store } = this
    if (store === null) return nothing
    const { counts } = store.$state.get()
    const entries = drawerEntries(workspace, list, counts)
    const opened = entries.find(({ name, refusal }) => name === this.#open && refusal === null)
    const content = opened === undefined ? null : drawerContent(opened.name, workspace, this.#target)
    return html`<div class="row entry-tools"><vk-follow .session=${workspace.session} .target=${this.#target}></vk-follow>${repeat(
      entries,
      ({ name }) => name,
      (entry) => this.#button(entry),
    )}</div>
      ${entries.map(({ name, refusal }) =>
        refusal === null ? nothing : html`<span id="refusal-${name}" hidden>${refusal}</span>`,
      )}
      <p class="refusal hint" role="status">${entries.find(({ name }) => name === this.refused)?.refusal ?? nothing}</p>
      <demo-drawer
        heading=${opened?.label ?? ''}
        .session=${workspace.session}
        .content=${content}
        .docked=${wide.matches}
        @drawer-close=${this.#close}
      ></demo-drawer>`
  }

  protected override updated(changed: PropertyValues<this>): void {
    const before = changed.get('search')
    if (!changed.has('search') || before === undefined || !wide.matches) return
    const previous = panelOf(before)
    // The focus follows the user: into the panel that opens, and back to the button of the panel that closes.
    if (this.#open !== null && this.#isPushed) void this.#focusPanel()
    else if (this.#open === null) void this.#focusButton(previous)
  }

  /** Moves the focus to the button of a panel that has closed, with its dialogs: an open one would keep the focus. */
  async #focusButton(panel: string | null): Promise<void> {
    await this.querySelector<DemoDrawer>('demo-drawer')?.updateComplete
    this.querySelector<HTMLElement>(`[data-panel="${panel}"]`)?.focus()
  }

  async #focusPanel(): Promise<void> {
    await this.querySelector<DemoDrawer>('demo-drawer')?.updateComplete
    const panel = this.querySelector<HTMLElement>('.panel')
    // The text field of the notes may have the focus already.
    if (panel?.contains(document.activeElement) === false) panel.focus()
  }

  /** The name of the panel in the URL. */
  get #open(): string | null {
    return panelOf(this.search)
  }

  /** Whether the user opened the panel on this page: the place before it in the history, which closing it returns to, has none. */
  get #isPushed(): boolean {
    return history.state?.hasPushedPanel === true
  }

  #show(name: DrawerName | null, place: 'adds' | 'replaces'): void {
    const query = new URLSearchParams(this.search)
    if (name === null) query.delete('panel')
    else query.set('panel', name)
    const search = query.size === 0 ? '' : `?${query}`
    const hasPushedPanel = name !== null && (place === 'adds' || this.#isPushed)
    this.app.router.go(location.pathname + search, { replaces: place === 'replaces' })
    // The state of the history survives a reload.
    if (hasPushedPanel) history.replaceState({ ...history.state, hasPushedPanel }, '')
  }

  readonly #close = (): void => {
    if (this.#open === null) return
    if (this.#isPushed) {
      // A second click, before the browser has gone back, does not leave the entry.
      history.replaceState({ ...history.state, hasPushedPanel: false }, '')
      history.back()
    } else this.#show(null, 'replaces')
  }

  /** Opens a panel. A panel that replaces another one replaces its entry in the history, too. */
  #toggle(name: DrawerName): void {
    const shown = this.#open
    if (shown === name) this.#close()
    else this.#show(name, shown === null ? 'adds' : 'replaces')
  }

  get #target(): BusinessObjectReference {
    return { kind: this.list.kind, typeCode: this.list.typeCode, id: this.entryId }
  }

  #button({ name, label, icon: drawing, count, refusal }: DrawerEntry): TemplateResult {
    const badge = count === null || count === 0 ? nothing : html`<span class="count">${count}</span>`
    return html`<button
      class="button"
      aria-label=${count === null ? label : `${label}: ${count}`}
      aria-disabled=${refusal === null ? nothing : 'true'}
      aria-describedby=${refusal === null ? nothing : `refusal-${name}`}
      aria-expanded=${refusal === null ? this.#open === name : nothing}
      data-panel=${name}
      title=${refusal ?? nothing}
      @click=${() => {
        if (refusal === null) this.#toggle(name)
        else this.refused = name
      }}
    >
      ${icon(drawing)} <span class="button-label">${label}</span> ${badge}
    </button>`
  }
}

/** Returns the name of the panel in a query. */
const panelOf = (search: string): string | null => new URLSearchParams(search).get('panel')

customElements.define('demo-entry-tools', DemoEntryTools)
