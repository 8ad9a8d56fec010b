import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type AccessStore, accessStore } from '../../stores/access.ts'
import { type WorkCenterStore, workCenterStore } from '../../stores/work-center.ts'
import type { WorkCenterFilters } from '../../stores/work-center-lists.ts'
import type { Tab, WorkCenterItem } from '../../wire/work-center.ts'
import type { CollectPayload } from '../document-actions/actions-bar.ts'
import { listBody } from '../parts/list-body.ts'
import { StoreElement } from '../store-element.ts'
import { filterBar, filtersFor } from './filter-bar.ts'
import { itemRow, type RowVerbs } from './item-row.ts'
import { primaryAction } from './primary-action.ts'
import type { SnoozeDialog } from './snooze-dialog.ts'
import { workCenterStyle } from './style.ts'
import { tabBar } from './tab-bar.ts'

/**
 * `<vk-work-center>`: the user's tasks and notifications, which update automatically. An item contains the name of a place,
 * and the page decides how to open that place. Data of an item never becomes a URL.
 *
 * Events: `vk-navigate` (detail: `NavigationTarget`), `vk-executed` (detail: `ExecutionResult`).
 */
export class WorkCenter extends StoreElement<WorkCenterStore> {
  static override styles = [StoreElement.styles, workCenterStyle]
  static override properties: PropertyDeclarations = {
    vertical: {},
    layout: { reflect: true },
    tab: {},
    filters: { attribute: false, state: true },
    collectPayload: { attribute: false },
  }
  /** Limits the lists to items about objects of this vertical. The type codes of these objects begin with `<vertical>.`. */
  declare vertical: string | undefined
  /** `drawer` is for a scrolling container, in which the tabs stay visible. Default: `page`. */
  declare layout: 'page' | 'drawer'
  declare tab: Tab
  declare filters: WorkCenterFilters
  /** Called before the primary action of a task. */
  declare collectPayload: CollectPayload | undefined
  protected readonly storeProperties = ['session', 'vertical']
  #access: AccessStore | null = null
  /** The row that had the focus before the rendering: its id and its index. */
  #focused: { readonly id: string; readonly index: number } | null = null

  constructor() {
    super()
    this.layout = 'page'
    this.tab = 'attention'
    this.filters = {}
  }

  protected openStore(session: Session): WorkCenterStore {
    this.#dialog?.withdraw()
    this.#access = accessStore(session)
    void this.#access.load()
    return workCenterStore(session, { vertical: this.vertical })
  }

  protected atomsOf(store: WorkCenterStore): readonly ReadableAtom<unknown>[] {
    const access = this.#access === null ? [] : [this.#access.$state]
    const { $summary, $rows, $notice, $realtime, $lists } = store
    return [$summary, $rows, $notice, $realtime, ...Object.values($lists), ...access]
  }

  protected override willUpdate(changed: PropertyValues): void {
    const before = this.store
    super.willUpdate(changed)
    if (this.store !== before || changed.has('tab') || changed.has('filters')) {
      void this.store?.open(this.tab, filtersFor(this.tab, this.filters))
    }
    const row = this.shadowRoot?.activeElement?.closest<HTMLElement>('li[data-id]')
    this.#focused = row == null ? null : { id: row.dataset['id'] ?? '', index: this.#rows.indexOf(row) }
  }

  /** If the row with the focus was removed, moves the focus to the next row. Otherwise the browser resets the focus. */
  protected override updated(): void {
    if (this.#focused === null || this.shadowRoot?.activeElement !== null) return
    const { id, index } = this.#focused
    const rows = this.#rows
    const same = rows.find((row) => row.dataset['id'] === id)
    const next = same ?? rows[index] ?? rows.at(-1) ?? this.renderRoot.querySelector<HTMLElement>('#panel')
    next?.focus()
  }

  get #rows(): readonly HTMLElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLElement>('li[data-id]')]
  }

  get #dialog(): SnoozeDialog | null {
    return this.shadowRoot?.querySelector<SnoozeDialog>('vk-snooze-dialog') ?? null
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, tab, filters } = this
    if (store === null) return nothing
    const { workCenter: texts } = this.texts
    const { summary } = store.$summary.get()
    const isFiltered = Object.keys(filtersFor(tab, filters)).length > 0
    return html`<section aria-label=${texts.title}>
        ${tabBar({ selected: tab, summary, texts, select: (next) => this.#select(next) })}
        <div role="tabpanel" id="panel" class="stack" tabindex="-1" aria-labelledby="tab-${tab}">
          ${filterBar({ tab, filters, texts, change: (next) => this.#filter(next) })} ${this.#notice(store)}
          ${listBody({
            list: store.$lists[tab].get(),
            label: texts.tabs[tab],
            row: (item) => this.#row(store, item),
            empty: isFiltered
              ? html`<p>${texts.nothingMatches}</p>
                  <button class="small" @click=${() => this.#filter({})}>${texts.clearFilters}</button>`
              : html`<p>${texts.empty[tab]}</p>`,
            load: () => void store.load(),
            loadMore: () => void store.loadMore(),
          })}
        </div>
        <p class="visually-hidden" role="status">${summary === null ? '' : texts.counts(summary)}</p>
      </section>
      <vk-snooze-dialog></vk-snooze-dialog>`
  }

  #select(tab: Tab): void {
    this.tab = tab
  }

  #filter(filters: WorkCenterFilters): void {
    this.filters = filters
  }

  #notice(store: WorkCenterStore): TemplateResult {
    const notice = store.$notice.get()
    const { workCenter: texts, common } = this.texts
    const banner =
      notice === null
        ? nothing
        : html`<div class="banner warning">
            <bdi>${texts[notice.reason](notice.item.title)}</bdi>
            <button class="small" @click=${() => store.closeNotice()}>${common.close}</button>
          </div>`
    const isLate = store.$realtime.get() === 'reconnecting'
    return html`<div class="notice" role="alert">${banner}</div>
      <p class="muted small" role="status" ?hidden=${!isLate}>${isLate ? texts.late : nothing}</p>`
  }

  #row(store: WorkCenterStore, item: WorkCenterItem): TemplateResult {
    return itemRow({
      item,
      row: store.$rows.get().get(item.id),
      userId: this.#access?.$state.get().access?.userId ?? null,
      texts: this.texts.workCenter,
      verbs: this.#verbs(store),
      primary: primaryAction(item, {
        ...{ session: this.session, collectPayload: this.collectPayload },
        texts: this.texts.workCenter,
      }),
    })
  }

  #verbs(store: WorkCenterStore): RowVerbs {
    return {
      open: (item) => {
        if (!item.isRead) void store.read(item)
        if (item.target !== null) this.tell('vk-navigate', item.target)
      },
      read: (item) => void store.read(item),
      dismiss: (item) => void store.dismiss(item),
      claim: (item) => void store.claim(item),
      snooze: (item) => void this.#snooze(store, item),
      showNow: (item) => void store.snooze(item, null),
    }
  }

  async #snooze(store: WorkCenterStore, item: WorkCenterItem): Promise<void> {
    const untilUtc = await this.#dialog?.ask(item)
    if (untilUtc != null) await store.snooze(item, untilUtc)
  }
}
