import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { ListTeamTasks, Recipient } from '../client/team.ts'
import type { Session } from '../session/session.ts'
import type { TaskRecipients, TeamTask } from '../wire/team.ts'
import { createPagedList, type ListState } from './paged-list.ts'
import { stateMap } from './state-map.ts'
import { openStore, outcome } from './store.ts'

/** The filters of the team's list, and its order. A task must match all filters. */
export type TeamFilters = Pick<
  ListTeamTasks,
  'status' | 'claimedBy' | 'role' | 'overdue' | 'invisible' | 'sort'
>

/** The recipients of a task, or the error if they cannot be loaded; null after `dispose`. */
export type RecipientsOutcome = Awaited<ReturnType<typeof outcome<TaskRecipients>>>

/** The state of a row with a pending or failed assignment. */
export type TeamRow = { readonly status: 'pending' } | { readonly status: 'failed'; readonly error: KitError }

/** The tasks of all users, for supervisors, and the method that assigns them. */
export interface TeamTasksStore {
  readonly $list: ReadableAtom<ListState<TeamTask>>
  /** The rows with pending or failed assignments. The key is the task's id. */
  readonly $rows: ReadableAtom<ReadonlyMap<string, TeamRow>>
  /** Shows the tasks that match the filters. Empties the list if the filters have changed. */
  open(filters: TeamFilters): Promise<void>
  load(): Promise<void>
  loadMore(): Promise<void>
  /**
   * Resolves with the users and roles that can receive a task. The row is pending until then, shows an error, and while it is
   * already pending, the result is null. With `q`, finds users by a part of their names, and the row does not change.
   */
  recipients(task: TeamTask, q?: string): Promise<RecipientsOutcome>
  /**
   * Gives tasks to another user or role, and resolves with the changed tasks, also after `dispose`. The rows of the others show
   * why they have not changed. The list is loaded again.
   */
  assign(tasks: readonly TeamTask[], to: Recipient): Promise<readonly TeamTask[]>
  /** Aborted by `dispose` and by the end of the session. */
  readonly signal: AbortSignal
  dispose(): void
}

/** Number of rows per page. */
const pageSize = 30

/** The hub reports only changes of the supervisor's own items, so the list asks for changes of all others. */
const refreshMs = 15_000

/** Opens the store of the team's tasks. Once loaded, it refreshes after own changes and every 15 s. */
export function teamTasksStore(session: Session): TeamTasksStore {
  const { client } = session
  const { signal, dispose } = openStore<null>(session, null)
  const { $states: $rows, set: setRow } = stateMap<TeamRow>(signal)
  let filters: TeamFilters = {}
  const list = createPagedList<TeamTask>({
    signal,
    pageSize,
    fetchPage: (page) => client.team.tasks({ ...filters, ...page }),
  })
  session.listen((change) => {
    if (change.kind === 'workCenter') void list.refresh()
  }, signal)
  const timer = setInterval(() => {
    // Not while a request is running. A failure (`failed`, `moreFailed`) can pass, for example after a restart of the service.
    if (/ready|failed/i.test(list.$list.get().status)) void list.refresh()
  }, refreshMs)
  signal.addEventListener('abort', () => clearInterval(timer))

  /** Sends a request and shows its state in a row. While the row is pending, sends nothing, and the result is null. */
  const inRow = async <T>(id: string, within: AbortSignal, request: () => Promise<T>) => {
    if (signal.aborted || $rows.get().get(id)?.status === 'pending') return null
    setRow(id, { status: 'pending' })
    const result = await outcome(within, request())
    if (result !== null) setRow(id, 'error' in result ? { status: 'failed', error: result.error } : null)
    return result
  }
  return {
    $list: list.$list,
    $rows,
    signal,
    dispose,
    load: list.load,
    loadMore: list.loadMore,
    open(next) {
      if (JSON.stringify(next) !== JSON.stringify(filters)) list.reset()
      filters = next
      return list.load()
    },
    async recipients({ id }, q) {
      const request = () => client.team.recipients(id, { q, signal })
      return q === undefined ? inRow(id, signal, request) : outcome(signal, request())
    },
    async assign(tasks, to) {
      const within = session.signal
      const results = await Promise.all(
        tasks.map((task) => inRow(task.id, within, () => client.team.assign(task, to, { signal: within }))),
      )
      // The supervisor can be a new or a former holder, so all stores of the Work Center reload.
      session.announce({ kind: 'workCenter' })
      return results.flatMap((result) => (result && 'value' in result ? [result.value] : []))
    },
  }
}
