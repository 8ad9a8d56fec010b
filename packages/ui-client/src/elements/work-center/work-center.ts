import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type AccessStore, accessStore } from '../../stores/access.ts'
import { type WorkCenterStore, workCenterStore } from '../../stores/work-center.ts'
import { dueGroupOf, dueGroups } from '../../stores/work-center-due-groups.ts'
import type { WorkCenterFilters } from '../../stores/work-center-lists.ts'
import type { BatchVerb, Preference, Sort, Tab, WorkCenterItem } from '../../wire/work-center.ts'
import type { CollectPayload } from '../document-actions/actions-bar.ts'
import { type ListGroup, listBody } from '../parts/list-body.ts'
import { StoreElement } from '../store-element.ts'
import type { RecipientDialog } from '../team/recipient-dialog.ts'
import { batchBanner, bulkBar, fitting } from './bulk-bar.ts'
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
    sort: {},
    definitions: { attribute: false, state: true },
  }
  /** Limits the lists to items about objects of this vertical. The type codes of these objects begin with `<vertical>.`. */
  declare vertical: string | undefined
  /** `drawer` is for a scrolling container, in which the tabs stay visible. Default: `page`. */
  declare layout: 'page' | 'drawer'
  declare tab: Tab
  declare filters: WorkCenterFilters
  /** Called before the primary action of a task. */
  declare collectPayload: CollectPayload | undefined
  /** The order of the lists. Default: `newest`. With `due`, the rows are grouped by day. */
  declare sort: Sort
  declare definitions: readonly Preference[]
  protected readonly storeProperties = ['session', 'vertical']
  #access: AccessStore | null = null
  /** The row that had the focus before the rendering: its id and its index. */
  /** The id of the row that was selected last, from which Shift extends the selection. */
  #anchor: string | null = null
  #focused: { readonly id: string; readonly index: number } | null = null

  constructor() {
    super()
    this.layout = 'page'
    this.tab = 'attention'
    this.filters = {}
    this.sort = 'newest'
    this.definitions = []
  }

  protected openStore(session: Session): WorkCenterStore {
    this.#dialog?.withdraw()
    this.#access = accessStore(session)
    void this.#access.load()
    const store = workCenterStore(session, { vertical: this.vertical })
    void store.definitions().then((definitions) => {
      this.definitions = definitions
    })
    return store
  }

  protected atomsOf(store: WorkCenterStore): readonly ReadableAtom<unknown>[] {
    const access = this.#access === null ? [] : [this.#access.$state]
    const { $summary, $rows, $notice, $realtime, $selected, $lists, batches } = store
    return [
      $summary,
      $rows,
      $notice,
      $realtime,
      $selected,
      batches.$batch,
      ...Object.values($lists),
      ...access,
    ]
  }

  protected override willUpdate(changed: PropertyValues): void {
    const before = this.store
    super.willUpdate(changed)
    if (this.store !== before || ['tab', 'filters', 'sort'].some((name) => changed.has(name))) {
      this.#anchor = null
      void this.store?.open(this.tab, { filters: filtersFor(this.tab, this.filters), sort: this.sort })
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
    const { store, tab, filters, sort, definitions } = this
    if (store === null) return nothing
    const { workCenter: texts } = this.texts
    const { summary } = store.$summary.get()
    const isFiltered = Object.keys(filtersFor(tab, filters)).length > 0
    return html`<section aria-label=${texts.title}>
        ${tabBar({ selected: tab, summary, texts, select: (next) => this.#select(next) })}
        <div role="tabpanel" id="panel" class="stack" tabindex="-1" aria-labelledby="tab-${tab}">
          ${filterBar({
            ...{ tab, filters, sort, definitions, texts },
            change: (next) => this.#filter(next),
            order: (next) => {
              this.sort = next
            },
          })}
          ${this.#notice(store)} ${this.#bulk(store)}
          ${listBody({
            list: store.$lists[tab].get(),
            label: texts.tabs[tab],
            row: (item) => this.#row(store, item),
            ...(sort === 'due' ? { groups: this.#groups } : {}),
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
      <vk-snooze-dialog></vk-snooze-dialog>
      <vk-recipient-dialog></vk-recipient-dialog>`
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
      isSelected: store.$selected.get().has(item.id),
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
      release: (item) => void store.release(item),
      snooze: (item) => void this.#snooze(store, item),
      forward: (item) => void this.#forward(store, item),
      showNow: (item) => void store.snooze(item, null),
      select: (item, { isSelected, isRange }) => {
        const ids = isRange ? this.#range(item.id) : [item.id]
        if (isSelected) store.select(ids)
        else store.deselect(ids)
        this.#anchor = item.id
      },
    }
  }

  async #forward(store: WorkCenterStore, item: WorkCenterItem): Promise<void> {
    const recipients = (await store.recipients(item)) ?? { users: [], roles: [] }
    const dialog = this.shadowRoot?.querySelector<RecipientDialog>('vk-recipient-dialog')
    const { forward: title } = this.texts.workCenter
    const choice = await dialog?.ask({ title, taskTitle: item.title, recipients, hasComment: true })
    if (choice != null) await store.forward(item, choice)
  }

  async #snooze(store: WorkCenterStore, item: WorkCenterItem): Promise<void> {
    const untilUtc = await this.#dialog?.ask(item.title)
    if (untilUtc != null) await store.snooze(item, untilUtc)
  }

  /** The rows that are shown, grouped by their due dates. Empty groups have no heading. */
  #groups = (items: readonly WorkCenterItem[]): readonly ListGroup<WorkCenterItem>[] => {
    const now = new Date()
    const grouped = Map.groupBy(items, (item) => dueGroupOf(item, now))
    return dueGroups.flatMap((group) => {
      const rows = grouped.get(group)
      return rows === undefined ? [] : [{ heading: this.texts.workCenter.groups[group], items: rows }]
    })
  }

  /** Returns the ids of the rows between the row that was selected last and this one, in display order. */
  #range(id: string): readonly string[] {
    const ids = this.#rows.map((row) => row.dataset['id'] ?? '')
    const [from, to] = [ids.indexOf(this.#anchor ?? ''), ids.indexOf(id)]
    return from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1)
  }

  #bulk(store: WorkCenterStore): TemplateResult {
    const { workCenter: texts, common } = this.texts
    const { items } = store.$lists[this.tab].get()
    const batch = store.batches.$batch.get()
    return html`${batchBanner({
      ...{ batch, texts, close: common.close },
      undo: () => this.#keepFocus(() => store.batches.undo()),
      dismiss: () => this.#keepFocus(() => store.batches.close()),
    })}
    ${bulkBar({
      ...{ items, selected: store.$selected.get(), batch, texts },
      selectAll: () => store.select(items.map(({ id }) => id)),
      selectNone: () => store.deselect([...store.$selected.get()]),
      change: (verb) => void this.#change(store, verb),
      readAll: () => void store.batches.readAll(),
    })}`
  }

  /** Changes the selected items for which the verb makes sense. Those that fail stay selected. */
  async #change(store: WorkCenterStore, verb: BatchVerb): Promise<void> {
    const selected = store.$selected.get()
    const items = fitting(
      verb,
      store.$lists[this.tab].get().items.filter(({ id }) => selected.has(id)),
    )
    const until =
      verb === 'snooze' ? await this.#dialog?.ask(this.texts.workCenter.severalItems(items.length)) : null
    if (verb === 'snooze' && until == null) return
    this.#keepFocus(() => store.batches.change(verb, items, until ?? null))
  }

  /** Runs a change after which its button disappears, and moves the focus, which would otherwise be lost. */
  #keepFocus(run: () => unknown): void {
    this.renderRoot.querySelector<HTMLElement>('#select-all')?.focus()
    run()
  }
}
