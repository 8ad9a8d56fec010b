import type { BusinessObjectReference } from '@vertical-kit/ui-client'
import { type ContentSummaryStore, createContentSummary, featuresOf } from '@vertical-kit/ui-client/stores'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { icon } from '../icons.ts'
import { LightElement } from '../light-element.ts'
import type { ListDefinition } from '../lists.ts'
import '../shell/demo-drawer.ts'
import { StoreController } from '../store-controller.ts'
import type { Workspace } from '../workspace.ts'
import { type DrawerEntry, type DrawerName, drawerContent, drawerEntries } from './entry-drawers.ts'

/** The way to what lies beside an entry, with badges, and the drawer it opens in. */
export class DemoEntryTools extends LightElement {
  static override properties = {
    workspace: { attribute: false },
    list: { attribute: false },
    entryId: { attribute: false },
    open: { state: true },
  }
  declare workspace: Workspace
  declare list: ListDefinition
  declare entryId: string
  declare private open: DrawerName | null
  readonly #stores = new StoreController(this)
  #summary: ContentSummaryStore | null = null

  constructor() {
    super()
    this.open = null
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#summary?.dispose()
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!['workspace', 'list', 'entryId'].some((name) => changed.has(name))) return
    this.#summary?.dispose()
    this.open = null
    const { session } = this.workspace
    const features = featuresOf(session)
    this.#summary = createContentSummary(session, this.#target)
    this.#stores.watch(features.$state, this.#summary.$state)
    void features.load()
    void this.#summary.load()
  }

  protected override render(): TemplateResult {
    const { workspace, list, open } = this
    const counts = this.#summary?.$state.get().counts ?? { attachments: null, notes: null }
    const entries = drawerEntries(workspace, list, counts)
    const opened = entries.find(({ name }) => name === open)
    return html`<div class="row entry-tools">${repeat(
      entries,
      ({ name }) => name,
      (entry) => this.#button(entry),
    )}</div>
      <demo-drawer
        heading=${opened?.label ?? ''}
        .content=${opened === undefined ? null : drawerContent(opened.name, workspace, this.#target)}
        @drawer-close=${() => {
          this.open = null
        }}
      ></demo-drawer>`
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
      title=${refusal ?? nothing}
      @click=${() => {
        if (refusal === null) this.open = name
      }}
    >
      ${icon(drawing)} <span class="button-label">${label}</span> ${badge}
    </button>`
  }
}

customElements.define('demo-entry-tools', DemoEntryTools)
