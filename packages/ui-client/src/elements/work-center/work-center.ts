import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type AccessStore, accessStore } from '../../stores/access.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import { type WorkCenterStore, workCenterStore } from '../../stores/work-center.ts'
import type { WorkCenterChange } from '../../stores/work-center-batch.ts'
import type { WorkCenterFilters } from '../../stores/work-center-lists.ts'
import type { BatchVerb, Preference, Sort, Tab, WorkCenterItem } from '../../wire/work-center.ts'
import type { CollectPayload } from '../document-actions/collect-payload.ts'
import { type ElementProperties, oneOf, optional, typeOf } from '../element-property.ts'
import { listBody } from '../parts/list-body.ts'
import { StoreElement, statesOf } from '../store-element.ts'
import { fitting } from './bulk-bar.ts'
import { changeDone, changeMessage } from './change-done.ts'
import { compactStyle } from './compact-style.ts'
import { dialogs } from './dialogs.ts'
import { dueListGroups } from './due-list-groups.ts'
import { emptySlots } from './empty-slots.ts'
import { type FilterBar, filterBar, filtersFor, nothingMatches, otherFilters } from './filter-bar.ts'
import { itemRow, type RowVerbs, titleOf } from './item-row.ts'
import { askSnooze, itemVerbs } from './item-verbs.ts'
import { listBar } from './list-bar.ts'
import { isRefused, notice } from './notice.ts'
import { primaryAction } from './primary-action.ts'
import { followRows } from './row-focus.ts'
import { type CommandContext, rowKey, runCommand } from './run-command.ts'
import { listenForShortcuts } from './shortcuts.ts'
import type { ShortcutsDialog } from './shortcuts-dialog.ts'
import type { ShownView } from './shown-view.ts'
import { workCenterStyle } from './style.ts'
import { tabBar } from './tab-bar.ts'
import { workCenterEnglish } from './texts.ts'
import { viewChips } from './view-chips.ts'

/**
 * The user's tasks and notifications, which update automatically. An item contains the name of a place, and the page
 * decides how to open that place. Data of an item never becomes a URL.
 *
 * @tag vk-work-center
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @fires {CustomEvent<NavigationTarget>} vk-navigate - The user opens a place. The page decides how.
 * @fires {CustomEvent<ExecutionResult>} vk-executed - An action has been executed.
 * @fires {CustomEvent<ShownView>} vk-view-changed - The user has selected another tab, order or filter.
 * @slot heading - A heading above the content.
 * @slot actions - Your own buttons and fields in the toolbar.
 * @slot empty - Replaces the text of an empty list, in tabs without a slot of their own.
 * @slot empty-attention - Replaces the text of this tab without items.
 * @slot empty-tasks - Replaces the text of this tab without items.
 * @slot empty-notifications - Replaces the text of this tab without items.
 * @slot empty-completed - Replaces the text of this tab without items.
 * @csspart badge - A mark of a row, such as its state.
 * @csspart button - Each button.
 * @csspart button-danger - The buttons of dangerous actions. They are also a `button`.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart checkbox - Each checkbox and switch.
 * @csspart chip - A selected filter, which the user can remove.
 * @csspart count - A number of items.
 * @csspart dialog - Each dialog.
 * @csspart empty - The text of an empty list.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart heading - Each heading.
 * @csspart link - Each link, and each button that looks like a link.
 * @csspart list - The list of rows.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart notice - A message that is no error.
 * @csspart row - Each row.
 * @csspart row-actions - The buttons of a row.
 * @csspart row-details - The details below the name of a row.
 * @csspart row-title - The name of a row.
 * @csspart tab - Each tab.
 * @csspart tabs - The bar of tabs.
 * @csspart toolbar - Search, filters, order and buttons for the whole list.
 */
export class WorkCenter extends StoreElement<WorkCenterStore, 'workCenter'> {
  static override styles = [StoreElement.styles, workCenterStyle, compactStyle]
  static override properties: ElementProperties = {
    vertical: { accept: optional },
    layout: { reflect: true, accept: oneOf('page', 'drawer') },
    density: { reflect: true, accept: oneOf('compact', 'comfortable') },
    noShortcuts: { type: Boolean, attribute: 'no-shortcuts' },
    tab: { accept: oneOf('attention', 'tasks', 'notifications', 'completed') },
    filters: {
      attribute: false,
      hasChanged: (one, other) => JSON.stringify(one) !== JSON.stringify(other),
      accept: typeOf({}),
    },
    collectPayload: { attribute: false, accept: optional },
    sort: { accept: oneOf('newest', 'due', 'priority') },
    definitions: { attribute: false, state: true },
  }
  /** Limits the lists to items about objects of this vertical. The type codes of these objects begin with `<vertical>.`. */
  declare vertical: string | undefined
  /**
   * `drawer` is for a scrolling container, in which the tabs stay visible. Default: `page`.
   *
   * @default 'page'
   */
  declare layout: 'page' | 'drawer'
  /**
   * `compact` shows one or two lines for each row, and its buttons on hover and focus. Default: `compact`.
   *
   * @default 'compact'
   */
  declare density: 'compact' | 'comfortable'
  /** Switches off the shortcuts of single characters, for users who need that (WCAG 2.1.4). */
  declare noShortcuts: boolean
  /**
   * The selected tab. Default: `attention`.
   *
   * @default 'attention'
   */
  declare tab: Tab
  /**
   * The selected filters, of all tabs. A tab ignores the filters that it does not support.
   *
   * @default {}
   */
  declare filters: WorkCenterFilters
  /** Called before the primary action of a task. */
  declare collectPayload: CollectPayload | undefined
  /**
   * The order of the lists. Default: `newest`. With `due`, the rows are grouped by day.
   *
   * @default 'newest'
   */
  declare sort: Sort
  declare protected definitions: readonly Preference[]
  protected override readonly english = workCenterEnglish
  protected readonly storeProperties = ['session', 'vertical']
  #access: AccessStore | null = null
  /** The id of the row that was selected last, from which Shift extends the selection. */
  #anchor: string | null = null
  readonly #rows = followRows(this, () => this.#returned)

  constructor() {
    super()
    this.noShortcuts = false
    this.definitions = []
    listenForShortcuts(this, (command, store) => runCommand(command, this.#context(store)))
  }

  protected openStore(session: Session): WorkCenterStore {
    this.#access = accessStore(session)
    void this.#access.load()
    const changed = (change: WorkCenterChange) => this.#report(session, change)
    const store = workCenterStore(session, { vertical: this.vertical, changed })
    void store.definitions().then((definitions) => {
      this.definitions = definitions
    })
    return store
  }

  protected atomsOf(store: WorkCenterStore): readonly ReadableAtom<unknown>[] {
    const { $summary, $rows, $notice, $realtime, $selected, $lists, batches } = store
    const own = [$summary, $rows, $notice, $realtime, $selected, batches.$batch]
    return [...own, ...Object.values($lists), ...statesOf(this.#access)]
  }

  protected override willUpdate(changed: PropertyValues): void {
    const before = this.store
    super.willUpdate(changed)
    if (this.store !== before || ['tab', 'filters', 'sort'].some((name) => changed.has(name))) {
      this.#anchor = null
      void this.store?.open(this.tab, { filters: filtersFor(this.tab, this.filters), sort: this.sort })
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, tab, sort } = this
    if (store === null) return nothing
    const { workCenter: texts } = this.texts
    const { summary } = store.$summary.get()
    const bar = this.#filterBar()
    const verbs = this.#verbs(store)
    const isFiltered = Object.keys(bar.filters).length > 0
    return html`<section
        aria-label=${texts.title}
        @keydown=${(event: KeyboardEvent) => rowKey(event, { store, rows: this.#rows })}
        @vk-executed=${() => this.#rows.remember()}
      >
        <slot name="heading"></slot>
        ${tabBar({ selected: tab, summary, texts, select: (next) => this.#show({ tab: next }) })}
        <div role="tabpanel" id="panel" class="stack" tabindex="-1" aria-labelledby="tab-${tab}">
          ${filterBar(bar)} ${viewChips(bar)} ${notice(store, this.texts)} ${this.#bar(store)}
          ${listBody<WorkCenterItem>({
            list: store.$lists[tab].get(),
            label: texts.tabs[tab],
            row: (item) => this.#row(store, item, verbs),
            ...(sort === 'due' ? { groups: (items) => dueListGroups(items, texts) } : {}),
            empty: isFiltered
              ? nothingMatches(texts, () => bar.change({}))
              : html`<p>${texts.empty[tab]}</p>`,
            inOwnSlot: emptySlots[tab],
            isFiltered,
            load: () => void store.load(),
            loadMore: () => void store.loadMore(),
          })}
        </div>
        <p class="visually-hidden" role="status">${summary === null ? '' : texts.counts(summary)}</p>
      </section>
      ${dialogs}`
  }

  #filterBar(): FilterBar {
    const { tab, sort, definitions } = this
    return {
      ...{ tab, sort, definitions, filters: filtersFor(tab, this.filters), texts: this.texts.workCenter },
      change: (filters) => this.#show({ filters: { ...otherFilters(tab, this.filters), ...filters } }),
      order: (next) => this.#show({ sort: next }),
    }
  }

  /** Shows what the user has selected, and announces it. A removed chip gives its focus to the search field. */
  #show(view: Partial<ShownView>): void {
    if (this.shadowRoot?.activeElement?.matches('.chip') === true) this.#focus('[type="search"]')
    Object.assign(this, view)
    this.tell('vk-view-changed', { tab: this.tab, sort: this.sort, filters: this.filters })
  }

  get #returned() {
    const { store, tab } = this
    return store && { list: store.$lists[tab].get(), loadMore: () => void store.loadMore() }
  }

  #focus(selector: string): void {
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus()
  }

  #context(store: WorkCenterStore): CommandContext {
    const id = this.#rows.current()?.dataset['id']
    const item = store.$lists[this.tab].get().items.find((one) => one.id === id) ?? null
    const selected = this.#selected(store)
    const items = selected.length > 0 || item === null ? selected : [item]
    const verbs = this.#verbs(store)
    return {
      ...{ store, rows: this.#rows, verbs, item, items },
      change: (verb) => void this.#change(store, verb),
      undo: () => void this.#undo(store),
      help: () => this.#help(),
    }
  }

  async #undo(store: WorkCenterStore): Promise<void> {
    const feedback = this.session && feedbackStore(this.session)
    // Notes and files that have been deleted elsewhere can have a message, too.
    if (feedback?.undo() || (await store.batches.undo())) return
    feedback?.announce({ text: this.texts.workCenter.nothingToUndo })
  }

  /** Reports a change, also after the user has left the Work Center. {@link notice} shows changes that have failed. */
  #report(session: Session, change: WorkCenterChange): void {
    const shown = { texts: this.texts, isShown: () => this.isConnected }
    if (!isRefused(change)) this.report(session, changeDone(change), changeMessage(session, change, shown))
  }

  #help(): void {
    void this.#rows.asking('vk-shortcuts-dialog', (dialog: ShortcutsDialog) => dialog.ask(true))
  }

  /** Renders a row again only if something that it shows has changed. This keeps long lists fast. */
  #row(store: WorkCenterStore, item: WorkCenterItem, verbs: RowVerbs): unknown {
    const { session, collectPayload } = this
    const row = store.$rows.get().get(item.id)
    const isSelected = store.$selected.get().has(item.id)
    const userId = this.#access?.$state.get().access?.userId ?? null
    const today = new Date().toDateString()
    const shown = [item, row, isSelected, userId, this.texts, today, store, collectPayload]
    return guard(shown, () => {
      const { workCenter: texts } = this.texts
      const primary = primaryAction(item, { session, collectPayload, texts })
      return itemRow({ item, row, isSelected, userId, texts, verbs, primary })
    })
  }

  #verbs(store: WorkCenterStore): RowVerbs {
    return {
      link: (item) =>
        item.target === null
          ? html``
          : this.linkTo(item.target, titleOf(item), () => {
              if (!item.isRead) void store.visit(item)
              this.#rows.remember()
            }),
      ...itemVerbs(store, this.#rows, this.texts),
      select: (item, { isSelected, isRange }) => {
        const ids = isRange ? this.#rows.between(this.#anchor, item.id) : [item.id]
        if (isSelected) store.select(ids)
        else store.deselect(ids)
        this.#anchor = item.id
      },
    }
  }

  #bar(store: WorkCenterStore): TemplateResult {
    const { workCenter: texts } = this.texts
    const { items } = store.$lists[this.tab].get()
    return listBar({
      ...{ items, texts, selected: store.$selected.get(), batch: store.batches.$batch.get() },
      selectAll: () => store.select(items.map(({ id }) => id)),
      selectNone: () => store.deselect([...store.$selected.get()]),
      change: (verb) => void this.#change(store, verb),
      readAll: () => void store.batches.readAll(),
      help: this.noShortcuts ? null : () => this.#help(),
    })
  }

  #selected(store: WorkCenterStore): readonly WorkCenterItem[] {
    return store.$lists[this.tab].get().items.filter(({ id }) => store.$selected.get().has(id))
  }

  /** Changes the selected items for which the verb makes sense. Items that fail stay selected. */
  async #change(store: WorkCenterStore, verb: BatchVerb): Promise<void> {
    const { session, texts } = this
    const items = fitting(verb, this.#selected(store))
    if (items.length === 0)
      return session && feedbackStore(session).announce({ text: texts.workCenter.noneFits(verb) })
    const until =
      verb === 'snooze' ? await askSnooze(this.#rows, texts.workCenter.severalItems(items.length)) : null
    if (verb === 'snooze' && until === null) return
    // The button disappears after the change. Without another place, the focus would be lost.
    if (this.shadowRoot?.activeElement?.closest('.bar') != null) this.#focus('#select-all')
    await store.batches.change(verb, items, until)
  }
}
