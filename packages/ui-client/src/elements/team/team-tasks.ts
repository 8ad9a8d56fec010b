import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { ReadableAtom } from 'nanostores'
import { onDemand } from '../../client/on-demand.ts'
import type { Session } from '../../session/session.ts'
import { type TeamFilters, type TeamTasksStore, teamTasksStore } from '../../stores/team-tasks.ts'
import type { TeamSort, TeamTask } from '../../wire/team.ts'
import { type ElementProperties, oneOf, typeOf } from '../element-property.ts'
import { dialogParts } from '../parts/exported-parts.ts'
import { formatInstant } from '../parts/format.ts'
import { taskIcon } from '../parts/icons.ts'
import { listBody } from '../parts/list-body.ts'
import { partOf } from '../parts/needed-part.ts'
import { roleName } from '../service-texts.ts'
import { StoreElement } from '../store-element.ts'
import { errorText, itemText } from '../texts.ts'
import { dueMark } from '../work-center/due-mark.ts'
import { nothingMatches } from '../work-center/filter-bar.ts'
import { followRows } from '../work-center/row-focus.ts'
import { workCenterStyle } from '../work-center/style.ts'
import { workCenterEnglish } from '../work-center/texts.ts'
import type { ShownTeamView } from './shown-team-view.ts'
import type { TeamTools } from './team-tools.ts'
import { teamEnglish } from './texts.ts'

const teamTools = onDemand(() => import('./team-tools.ts'))

/** The filters of each view. */
const views = {
  all: {},
  overdue: { overdue: true },
  unclaimed: { status: 'Open' },
  claimed: { status: 'InProgress' },
  invisible: { invisible: true },
} as const satisfies Record<string, TeamFilters>

/** The views of the team's tasks. */
export type TeamView = keyof typeof views

/**
 * The open tasks of all users for supervisors, overdue first: who has each task and since when. Assigns one or more tasks
 * to other users and roles.
 *
 * @tag vk-team-tasks
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @fires {CustomEvent<NavigationTarget>} vk-navigate - The user opens a place. The page decides how.
 * @fires {CustomEvent<ShownTeamView>} vk-view-changed - The user has selected another view, order or user.
 * @slot heading - A heading above the content.
 * @slot actions - Your own buttons and fields in the toolbar.
 * @slot empty - Replaces the text of an empty list.
 * @csspart badge - A mark of a row, such as its state.
 * @csspart button - Each button.
 * @csspart button-danger - The buttons of dangerous actions. They are also a `button`.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart checkbox - Each checkbox.
 * @csspart dialog - Each dialog.
 * @csspart empty - The text of an empty list.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart heading - Each heading.
 * @csspart link - Each link, and each button that looks like a link.
 * @csspart list - The list of rows.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart row - Each row.
 * @csspart row-actions - The buttons of a row.
 * @csspart row-details - The details below the name of a row.
 * @csspart row-title - The name of a row.
 * @csspart toolbar - Search, filters, order and buttons for the whole list.
 */
export class TeamTasks extends StoreElement<TeamTasksStore, 'team' | 'workCenter'> {
  static override styles = [StoreElement.styles, workCenterStyle]
  static override properties: ElementProperties = {
    view: { accept: oneOf(...Object.keys(views)) },
    sort: { accept: oneOf('due', 'priority', 'newest', 'oldest') },
    claimedBy: { attribute: 'claimed-by', accept: typeOf('') },
    selected: { attribute: false, state: true },
  }
  /**
   * The selected view. Default: `all`.
   *
   * @default 'all'
   */
  declare view: TeamView
  /**
   * The order of the list. Default: `due`.
   *
   * @default 'due'
   */
  declare sort: TeamSort
  /**
   * The id of the user whose tasks are shown. An empty text shows the tasks of all users.
   *
   * @default ''
   */
  declare claimedBy: string
  /** The ids of the selected rows. */
  declare protected selected: ReadonlySet<string>
  /** The id of the row that was selected last, from which Shift extends the selection. */
  #anchor: string | null = null
  protected override readonly english = { ...teamEnglish, ...workCenterEnglish }
  protected readonly storeProperties = ['session']

  readonly #rows = followRows(this)
  readonly #part = partOf(this, teamTools, (part) => part)
  #tools: TeamTools | null = null

  constructor() {
    super()
    this.selected = new Set()
  }

  protected openStore(session: Session): TeamTasksStore {
    this.#tools = null
    void this.#part.need()
    return teamTasksStore(session)
  }

  protected atomsOf(store: TeamTasksStore): readonly ReadableAtom<unknown>[] {
    return [store.$list, store.$rows]
  }

  protected override willUpdate(changed: PropertyValues): void {
    const before = this.store
    super.willUpdate(changed)
    if (this.store !== before || ['view', 'sort', 'claimedBy'].some((name) => changed.has(name))) {
      const { view, sort, claimedBy } = this
      this.#anchor = null
      this.selected = new Set()
      void this.store?.open({ ...views[view], sort, claimedBy: claimedBy === '' ? undefined : claimedBy })
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, view, claimedBy } = this
    if (store === null) return nothing
    const { team: texts, workCenter } = this.texts
    const tools = this.#toolsOf(store)
    const isFiltered = view !== 'all' || claimedBy !== ''
    return html`<section class="stack" aria-label=${texts.title}>
        <slot name="heading"></slot>
        <fieldset part="toolbar" class="filters">
          <legend class="visually-hidden">${texts.filters}</legend>
          ${this.#choice('view', texts.show, Object.entries(texts.views))}
          ${this.#choice('claimedBy', texts.users, [['', workCenter.any], ...(tools?.users(claimedBy) ?? [])])}
          ${tools?.search()}
          ${this.#choice('sort', workCenter.sortBy, Object.entries({ ...workCenter.sorts, oldest: texts.oldest }))}
          <button part="button" class="small" @click=${() => this.#refresh(store)}>${texts.refresh}</button>
          <slot name="actions"></slot>
        </fieldset>
        ${listBody({
          list: store.$list.get(),
          label: texts.views[view],
          row: (task) => this.#row(store, task),
          empty: isFiltered
            ? nothingMatches(workCenter, () => this.#show({ view: 'all', claimedBy: '' }))
            : html`<p>${texts.empty}</p>`,
          isFiltered,
          load: () => void store.load(),
          loadMore: () => void store.loadMore(),
        })}
        ${this.#part.failure()}
        ${tools?.bar(this.selected, (ids) => {
          this.selected = ids
        })}
      </section>
      <vk-recipient-dialog exportparts=${dialogParts}></vk-recipient-dialog>`
  }

  /** Renders the choice of a property. Each option is set, because new options change the places of the others. */
  #choice(
    name: keyof ShownTeamView,
    label: string,
    choices: readonly (readonly [string, string])[],
  ): TemplateResult {
    const select = ({ target }: Event) => this.#show({ [name]: (target as HTMLSelectElement).value })
    return html`<label>
      ${label}
      <select part="field" @change=${select}>
        ${choices.map(
          ([value, text]) => html`<option value=${value} .selected=${value === this[name]}>${text}</option>`,
        )}
      </select>
    </label>`
  }

  /** Shows what the user has selected, and announces it. */
  #show(change: Partial<Record<keyof ShownTeamView, string>>): void {
    const { view, sort, claimedBy } = Object.assign(this, change)
    this.tell('vk-view-changed', { view, sort, claimedBy })
  }

  #refresh(store: TeamTasksStore): void {
    void store.load()
    void this.#tools?.load()
  }

  #row(store: TeamTasksStore, task: TeamTask): TemplateResult {
    const { team: texts, workCenter } = this.texts
    const row = store.$rows.get().get(task.id)
    const isPending = row?.status === 'pending'
    const { claimedBy, assignedRole } = task
    const { subtitle } = task.source
    const title = itemText(task.titleText, task.title)
    const name = html`<bdi>${title}</bdi>`
    const isSelected = this.selected.has(task.id)
    return html`<li part="row" data-id=${task.id} tabindex="-1" class=${isSelected ? 'selected' : ''} aria-busy=${isPending}>
      <div class="item">
        <input
          part="checkbox"
          type="checkbox"
          aria-label="${workCenter.select}: ${title}"
          .checked=${live(isSelected)}
          @click=${({ target, shiftKey }: MouseEvent) => {
            const ids = shiftKey ? this.#rows.between(this.#anchor, task.id) : [task.id]
            this.#select(ids, { isSelected: (target as HTMLInputElement).checked })
            this.#anchor = task.id
          }}
        />
        <span class="icon">${taskIcon}</span>
        <div class="main">
          <p part="row-title" class="title">${task.target === null ? name : this.linkTo(task.target, name)}</p>
          <div part="row-details" class="about small muted">
            ${dueMark(task, workCenter)}
            ${subtitle === null ? nothing : html`<bdi>${subtitle}</bdi>`}
            <span>
              ${
                claimedBy === null
                  ? texts.unclaimedOf(assignedRole === null ? '' : roleName(assignedRole))
                  : texts.holder(claimedBy.displayName, formatInstant(claimedBy.sinceUtc))
              }
              · ${texts.recipients(task.recipientCount)}
            </span>
          </div>
          ${
            row?.status === 'failed'
              ? html`<div part="error" class="banner" role="alert"><span>${errorText(row.error)}</span></div>`
              : nothing
          }
        </div>
      </div>
      <div part="row-actions" class="buttons">
        <button
          part="button"
          class="small"
          data-verb="assign"
          aria-label="${texts.assign}: ${title}"
          aria-disabled=${isPending}
          @click=${() => isPending || void this.#assign(store, task)}
        >
          ${texts.assign}
        </button>
      </div>
    </li>`
  }

  /** Returns the tools of a store, or null until they are loaded. */
  #toolsOf(store: TeamTasksStore): TeamTools | null {
    const { session, renderRoot: root } = this
    const part = this.#part.get()
    if (this.#tools !== null || part === null || session === undefined) return this.#tools
    this.#tools = new part.TeamTools({
      ...{ session, store, root, rows: this.#rows },
      requestUpdate: () => this.requestUpdate(),
      // Tasks that could not be assigned stay selected.
      report: (done, message) => {
        this.#select(
          done.tasks.map(({ id }) => id),
          { isSelected: false },
        )
        this.report(session, done, message)
      },
    })
    return this.#tools
  }

  async #assign(store: TeamTasksStore, task: TeamTask): Promise<void> {
    await this.#part.need()
    await this.#toolsOf(store)?.assign([task])
  }

  #select(ids: readonly string[], { isSelected }: { readonly isSelected: boolean }): void {
    const others = [...this.selected].filter((id) => !ids.includes(id))
    this.selected = new Set(isSelected ? [...others, ...ids] : others)
  }
}
