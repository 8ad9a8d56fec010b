import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { Session } from '../../session/session.ts'
import { type Announcement, feedbackStore } from '../../stores/feedback.ts'
import { outcome } from '../../stores/store.ts'
import type { RecipientsOutcome, TeamTasksStore } from '../../stores/team-tasks.ts'
import type { TaskHolder, TaskRecipients, TeamTask } from '../../wire/team.ts'
import type { Done } from '../events.ts'
import { isolated } from '../parts/format.ts'
import { roleName } from '../service-texts.ts'
import { errorText, textsOf } from '../texts.ts'
import type { RowFocus } from '../work-center/row-focus.ts'
import { workCenterEnglish } from '../work-center/texts.ts'
import { teamFormsEnglish } from './form-texts.ts'
import { isFullList } from './full-list.ts'
import type { CommonRecipients, RecipientChoice, RecipientDialog } from './recipient-dialog.ts'
import { teamEnglish } from './texts.ts'
import { userSearch } from './user-choice.ts'

type Recipient = RecipientChoice['to']

/** The element that shows the tasks of the team. */
export interface TeamHost {
  readonly session: Session
  readonly store: TeamTasksStore
  /** Contains the rows and the dialog. */
  readonly root: ParentNode
  readonly rows: RowFocus
  requestUpdate(): void
  report(done: Done & { readonly kind: 'tasksAssigned' }, message: Announcement): void
}

/** Shows a supervisor the users who have tasks, and assigns tasks of one store. */
export class TeamTools {
  readonly #host: TeamHost
  #q = ''
  #canFind = false
  /** The users who have open tasks, or those of the last search. */
  #holders: readonly TaskHolder[] = []
  /** The names of users who were listed before, by their ids. */
  readonly #names = new Map<string, string>()

  constructor(host: TeamHost) {
    this.#host = host
    const { signal } = host.store
    host.session.listen(({ kind }) => kind === 'workCenter' && void this.load(), signal)
    void this.load()
  }

  /** Loads the users. The list of tasks shows an error if the service cannot be reached, so a failure keeps the former users. */
  async load(): Promise<void> {
    const { session, store } = this.#host
    const { signal } = store
    const q = this.#q
    const result = await outcome(signal, session.client.team.holders({ q, signal }))
    if (q !== this.#q || result === null || 'error' in result) return
    this.#holders = result.value.users
    this.#canFind ||= isFullList(this.#holders)
    this.#host.requestUpdate()
  }

  /** Renders the field that finds users by their names, if they are too many for one list. */
  search(): TemplateResult | typeof nothing {
    if (!this.#canFind) return nothing
    return userSearch(({ target }) => {
      this.#q = (target as HTMLInputElement).value.trim()
      void this.load()
    })
  }

  /**
   * Returns the ids and the texts of the users to choose from. They include the selected user, who can come from the address of
   * the page: that user may have no open task any more, or not match the search.
   */
  users(selected: string): readonly (readonly [string, string])[] {
    const listed = this.#holders.map(
      ({ userId, displayName, taskCount }) => [userId, `${displayName} (${taskCount})`] as const,
    )
    for (const { userId, displayName } of this.#holders) this.#names.set(userId, displayName)
    const isListed = selected === '' || this.#holders.some(({ userId }) => userId === selected)
    const name = this.#names.get(selected) ?? textsOf(teamFormsEnglish).team.otherUser
    return isListed ? listed : [...listed, [selected, name]]
  }

  /** Renders the number of the selected tasks, the selection of all tasks, and the assignment. */
  bar(ids: ReadonlySet<string>, select: (ids: ReadonlySet<string>) => void): TemplateResult | typeof nothing {
    const { items } = this.#host.store.$list.get()
    const selected = items.filter(({ id }) => ids.has(id))
    if (selected.length === 0) return nothing
    const { team: texts, workCenter } = textsOf({ ...teamEnglish, ...workCenterEnglish })
    const isPending = selected.some(({ id }) => this.#host.store.$rows.get().get(id)?.status === 'pending')
    return html`<div class="bulk row bar" role="group" aria-label=${workCenter.bulk}>
      <label>
        <input
          part="checkbox"
          id="select-all"
          type="checkbox"
          .checked=${live(selected.length === items.length)}
          .indeterminate=${live(selected.length < items.length)}
          @change=${({ target }: Event) => {
            const { checked } = target as HTMLInputElement
            if (!checked) this.#leaveBar()
            select(new Set(checked ? items.map(({ id }) => id) : []))
          }}
        />
        ${workCenter.selectAll}
      </label>
      <span role="status">${workCenter.selected(selected.length)}</span>
      <button
        part="button"
        class="small"
        data-bulk="assign"
        aria-disabled=${isPending}
        @click=${() => isPending || void this.assign(selected)}
      >
        ${texts.assign}
      </button>
    </div>`
  }

  /**
   * Asks who receives the tasks, assigns them, and reports how many have changed. The rows of the others show why they have
   * not. The report can be undone, unless one assignment of each task cannot restore it.
   */
  async assign(tasks: readonly TeamTask[]): Promise<void> {
    const { session, store, rows } = this.#host
    const question = { title: textsOf(teamEnglish).team.assign, comment: null }
    const choice = await rows.asking('vk-recipient-dialog', (dialog: RecipientDialog) =>
      dialog.askFor(tasks, question, (q) => this.#recipients(tasks, q)),
    )
    if (choice === null) return
    const assigned = await inPortions(tasks, (portion) => store.assign(portion, choice.to))
    if (assigned.length === 0) return
    if (assigned.length === tasks.length) this.#leaveBar()
    const { team: texts } = textsOf(teamFormsEnglish)
    const name = isolated(choice.name)
    const text = assigned.length === 1 ? texts.assigned(name) : texts.assignedTasks(assigned.length, name)
    const returns = assigned.flatMap((task) => {
      const before = tasks.find(({ id }) => id === task.id)
      const holder = before === undefined ? null : formerHolder(before, choice.to)
      return holder === null ? [] : [{ task, holder }]
    })
    const undo = returns.length === assigned.length ? { undo: () => void giveBack(session, returns) } : {}
    this.#host.report({ kind: 'tasksAssigned', tasks: assigned }, { text, ...undo })
  }

  /** Moves the focus from the bar to the first selected row, because the bar disappears with the selection. */
  #leaveBar(): void {
    const { root } = this.#host
    if (root.querySelector('.bar :focus') !== null) root.querySelector<HTMLElement>('li.selected')?.focus()
  }

  /** Resolves with the users and roles that can receive each of the tasks. */
  async #recipients(
    tasks: readonly TeamTask[],
    q?: string,
  ): Promise<RecipientsOutcome | { readonly value: CommonRecipients }> {
    // Tasks with the same definition and the same type of source have the same recipients.
    const kinds = new Map(tasks.map((task) => [`${task.code} ${task.source.resourceCode}`, task]))
    const results = await Promise.all([...kinds.values()].map((task) => this.#host.store.recipients(task, q)))
    const lists: TaskRecipients[] = []
    for (const result of results) {
      if (result === null || 'error' in result) return result
      lists.push(result.value)
    }
    return { value: ofAll(lists) }
  }
}

/** Returns the users and roles that are in all lists. */
const ofAll = ([
  first = { users: [], roles: [] },
  ...others
]: readonly TaskRecipients[]): CommonRecipients => ({
  hasMoreUsers: [first, ...others].some(({ users }) => isFullList(users)),
  users: first.users.filter(({ userId }) =>
    others.every(({ users }) => users.some((user) => user.userId === userId)),
  ),
  roles: first.roles.filter(({ code }) =>
    others.every(({ roles }) => roles.some((role) => role.code === code)),
  ),
})

/** A changed task, and the user or role that had it before. */
interface Return {
  readonly task: TeamTask
  readonly holder: { readonly to: Recipient; readonly name: string }
}

/** Requests of so many tasks are sent at once: all of a long list could exceed the service's limit for one user. */
const portionSize = 10

/** Runs a change for some tasks after the other, and resolves with all results. */
async function inPortions<T, Result>(
  all: readonly T[],
  run: (portion: readonly T[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let start = 0; start < all.length; start += portionSize) {
    results.push(...(await run(all.slice(start, start + portionSize))))
  }
  return results
}

/** Undoes assignments. The user may have left the page, so a failure is shown as a message. */
async function giveBack(session: Session, returns: readonly Return[]): Promise<void> {
  const { signal, client } = session
  const results = await inPortions(returns, (portion) =>
    Promise.all(
      portion.map(({ task, holder }) => outcome(signal, client.team.assign(task, holder.to, { signal }))),
    ),
  )
  if (signal.aborted) return
  const { team: texts } = textsOf(teamFormsEnglish)
  const { announce } = feedbackStore(session)
  const failed = results.find((result) => result !== null && 'error' in result)
  if (failed && 'error' in failed) announce({ text: errorText(failed.error), tone: 'failure' })
  const count = results.filter((result) => result !== null && 'value' in result).length
  const [first] = returns
  if (returns.length > 1 && count > 0) announce({ text: texts.givenBackTasks(count) })
  else if (count > 0 && first !== undefined) announce({ text: texts.givenBack(isolated(first.holder.name)) })
  session.announce({ kind: 'workCenter' })
}

/**
 * Returns who had a task before. Returns null if one assignment cannot restore the task: its role has changed, and it keeps the
 * new role when a user receives it.
 */
function formerHolder({ claimedBy, assignedRole }: TeamTask, to: Recipient): Return['holder'] | null {
  if (claimedBy === null)
    return assignedRole && { to: { roleCode: assignedRole.code }, name: roleName(assignedRole) }
  const hasNewRole = 'roleCode' in to && to.roleCode !== assignedRole?.code
  return hasNewRole ? null : { to: { userId: claimedBy.userId }, name: claimedBy.displayName }
}
