import type { BusinessObjectReference } from '@vertical-kit/ui-client'
import {
  type ContentSummaryStore,
  contentSummaryStore,
  featuresStore,
  type Session,
} from '@vertical-kit/ui-client/stores'
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ReadableAtom } from 'nanostores'
import { icon } from '../icons.ts'
import { LightStoreElement } from '../light-element.ts'
import type { ListDefinition } from '../lists.ts'
import './demo-drawer.ts'
import type { Workspace } from '../workspace.ts'
import { type DrawerEntry, type DrawerName, drawerContent, drawerEntries } from './entry-drawers.ts'

/** Buttons with badges for an entry's attachments, notes and history, and the drawer that shows the selected content. */
export class DemoEntryTools extends LightStoreElement<ContentSummaryStore> {
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
  protected readonly storeProperties = ['session', 'list', 'entryId']

  constructor() {
    super()
    this.open = null
  }

  protected override openStore(session: Session): ContentSummaryStore {
    this.open = null
    const summary = contentSummaryStore(session, this.#target)
    void featuresStore(session).load()
    void summary.load()
    return summary
  }

  protected override atomsOf(summary: ContentSummaryStore): readonly ReadableAtom<unknown>[] {
    return [featuresStore(this.workspace.session).$state, summary.$state]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { workspace, list, open, store } = this
    if (store === null) return nothing
    const { counts } = store.$state.get()
    const entries = drawerEntries(workspace, list, counts)
    const opened = entries.find(({ name }) => name === open)
    return html`<div class="row entry-tools"><vk-follow .session=${workspace.session} .target=${this.#target}></vk-follow>${repeat(
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
