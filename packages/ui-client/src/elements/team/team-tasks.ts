import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type TeamFilters, type TeamTasksStore, teamTasksStore } from '../../stores/team-tasks.ts'
import type { TeamTask } from '../../wire/team.ts'
import { formatInstant } from '../parts/format.ts'
import { taskIcon } from '../parts/icons.ts'
import { listBody } from '../parts/list-body.ts'
import { roleName } from '../service-texts.ts'
import { StoreElement } from '../store-element.ts'
import { errorText, itemText } from '../texts.ts'
import { dueMark } from '../work-center/due-mark.ts'
import { workCenterStyle } from '../work-center/style.ts'
import { workCenterEnglish } from '../work-center/texts.ts'
import type { RecipientDialog } from './recipient-dialog.ts'
import { teamEnglish } from './texts.ts'

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
 * `<vk-team-tasks>`: the open tasks of all users for supervisors, overdue first: who has each task and since when. Assigns
 * tasks to other users and roles.
 */
export class TeamTasks extends StoreElement<TeamTasksStore, 'team' | 'workCenter'> {
  static override styles = [StoreElement.styles, workCenterStyle]
  static override properties: PropertyDeclarations = { view: {} }
  declare view: TeamView
  protected override readonly english = { ...teamEnglish, ...workCenterEnglish }
  protected readonly storeProperties = ['session']

  constructor() {
    super()
    this.view = 'all'
  }

  protected openStore(session: Session): TeamTasksStore {
    this.#dialog?.withdraw()
    return teamTasksStore(session)
  }

  protected atomsOf(store: TeamTasksStore): readonly ReadableAtom<unknown>[] {
    return [store.$list, store.$rows]
  }

  protected override willUpdate(changed: PropertyValues): void {
    const before = this.store
    super.willUpdate(changed)
    if (this.store !== before || changed.has('view')) void this.store?.open(views[this.view])
  }

  get #dialog(): RecipientDialog | null {
    return this.shadowRoot?.querySelector<RecipientDialog>('vk-recipient-dialog') ?? null
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, view } = this
    if (store === null) return nothing
    const { team: texts } = this.texts
    const select = ({ target }: Event) => {
      this.view = (target as HTMLSelectElement).value as TeamView
    }
    return html`<section class="stack" aria-label=${texts.title}>
        <fieldset class="filters">
          <legend class="visually-hidden">${texts.filters}</legend>
          <label>
            ${texts.show}
            <select .value=${live(view)} @change=${select}>
              ${Object.entries(texts.views).map(
                ([name, label]) => html`<option value=${name} ?selected=${name === view}>${label}</option>`,
              )}
            </select>
          </label>
          <button class="small" @click=${() => void store.load()}>${texts.refresh}</button>
        </fieldset>
        ${listBody({
          list: store.$list.get(),
          label: texts.views[view],
          row: (task) => this.#row(store, task),
          empty: html`<p>${texts.empty}</p>`,
          load: () => void store.load(),
          loadMore: () => void store.loadMore(),
        })}
      </section>
      <vk-recipient-dialog></vk-recipient-dialog>`
  }

  #row(store: TeamTasksStore, task: TeamTask): TemplateResult {
    const { team: texts, workCenter } = this.texts
    const row = store.$rows.get().get(task.id)
    const isPending = row?.status === 'pending'
    const { claimedBy, assignedRole } = task
    return html`<li data-id=${task.id} tabindex="-1" aria-busy=${isPending}>
      <div class="item">
        <span class="icon">${taskIcon}</span>
        <div class="main">
          <p class="title"><bdi>${itemText(task.titleText, task.title)}</bdi></p>
          <p class="text holder">
            ${
              claimedBy === null
                ? texts.unclaimedOf(assignedRole === null ? '' : roleName(assignedRole))
                : texts.holder(claimedBy.displayName, formatInstant(claimedBy.sinceUtc))
            }
            · ${texts.recipients(task.recipientCount)}
          </p>
          <div class="about small">${dueMark(task, workCenter)}</div>
          ${
            row?.status === 'failed'
              ? html`<div class="banner" role="alert"><span>${errorText(row.error)}</span></div>`
              : nothing
          }
        </div>
      </div>
      <div class="buttons">
        <button
          class="small"
          data-verb="assign"
          aria-label="${texts.assign}: ${itemText(task.titleText, task.title)}"
          aria-disabled=${isPending}
          @click=${() => isPending || void this.#assign(store, task)}
        >
          ${texts.assign}
        </button>
      </div>
    </li>`
  }

  async #assign(store: TeamTasksStore, task: TeamTask): Promise<void> {
    const recipients = (await store.recipients(task)) ?? { users: [], roles: [] }
    const choice = await this.#dialog?.ask({
      ...{ title: this.texts.team.assign, taskTitle: itemText(task.titleText, task.title), recipients },
      hasComment: false,
    })
    if (choice != null) await store.assign(task, choice.to)
  }
}
