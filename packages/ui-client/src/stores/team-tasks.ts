import { atom, type ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import type { ListTeamTasks, Recipient } from '../client/team.ts'
import type { Session } from '../session/session.ts'
import type { TaskRecipients, TeamTask } from '../wire/team.ts'
import { createPagedList, type ListState } from './paged-list.ts'
import { openStore, outcome } from './store.ts'

/** The filters of the team's list. A task must match all of them. */
export type TeamFilters = Pick<ListTeamTasks, 'status' | 'claimedBy' | 'role' | 'overdue' | 'invisible'>

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
  /** Resolves with the users and roles that can receive a task, or with null if they cannot be loaded. */
  recipients(task: TeamTask): Promise<TaskRecipients | null>
  /**
   * Gives a task to another user or role, and resolves with the changed task, also after `dispose`. If it changed meanwhile,
   * the row shows the error, the list is loaded again, and the result is null.
   */
  assign(task: TeamTask, to: Recipient): Promise<TeamTask | null>
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
  const $rows = atom<ReadonlyMap<string, TeamRow>>(new Map())
  let filters: TeamFilters = {}
  const list = createPagedList<TeamTask>({
    signal,
    pageSize,
    fetchPage: (page) => client.team.tasks({ ...filters, ...page }),
  })
  session.listen((change) => {
    if (change.kind === 'workCenter') void list.load()
  }, signal)
  const timer = setInterval(() => {
    if (list.$list.get().status === 'ready') void list.load()
  }, refreshMs)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })

  const setRow = (id: string, row: TeamRow | null) => {
    const rows = new Map($rows.get())
    if (row === null) rows.delete(id)
    else rows.set(id, row)
    $rows.set(rows)
  }
  return {
    $list: list.$list,
    $rows,
    dispose,
    load: list.load,
    loadMore: list.loadMore,
    open(next) {
      if (JSON.stringify(next) !== JSON.stringify(filters)) list.reset()
      filters = next
      return list.load()
    },
    async recipients({ id }) {
      const result = await outcome(signal, client.team.recipients(id, { signal }))
      return result !== null && 'value' in result ? result.value : null
    },
    async assign(task, to) {
      if (signal.aborted || $rows.get().get(task.id)?.status === 'pending') return null
      setRow(task.id, { status: 'pending' })
      const result = await outcome(session.signal, client.team.assign(task, to, { signal: session.signal }))
      if (result === null) return null
      setRow(task.id, 'error' in result ? { status: 'failed', error: result.error } : null)
      // The supervisor can be the new or the former holder, so other stores reload, too.
      session.announce({ kind: 'workCenter' })
      void list.load()
      return 'value' in result ? result.value : null
    },
  }
}
