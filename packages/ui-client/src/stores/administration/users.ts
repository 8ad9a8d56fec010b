import type { ReadableAtom } from 'nanostores'
import type { InviteUser } from '../../client/administration.ts'
import type { Session } from '../../session/session.ts'
import type { Role, User } from '../../wire/security.ts'
import { createPagedList, type ListState } from '../paged-list.ts'
import { openState, openStore, outcome } from '../store.ts'
import { createRows, isConflict, type Rows } from './rows.ts'

/** The key of an invitation in the rows of the store. */
export const invitationRow = 'invitation'

/** The filters of the list of users. */
export interface UserFilters {
  /** A part of the name, email address or subject. */
  readonly q?: string | undefined
  readonly isActive?: boolean | undefined
}

/** The users of the service, for administrators. */
export interface UsersStore extends Pick<Rows, '$rows' | 'dismiss'> {
  readonly $list: ReadableAtom<ListState<User>>
  /** The roles that can be assigned. The list is empty if the administrator may not see roles. */
  readonly $roles: ReadableAtom<readonly Role[]>
  /** Shows the users that match the filters. Empties the list if the filters have changed. */
  open(filters: UserFilters): Promise<void>
  load(): Promise<void>
  loadMore(): Promise<void>
  /**
   * Creates a user before their first request. Resolves with null if this fails: `$rows` has the error. In both cases, the list is
   * loaded again: the service can have created the user although its answer was lost.
   */
  invite(person: InviteUser): Promise<User | null>
  /**
   * Replaces the roles of a user, if the user still has the roles of `user`. Resolves with null if this fails. After
   * `users.version_conflict`, the current roles are loaded.
   */
  setRoles(user: User, roleIds: readonly string[]): Promise<User | null>
  /** Locks a user out from the next request on. Resolves with null if this fails. */
  deactivate(user: User): Promise<User | null>
  /** Lets a user in again. Resolves with null if this fails. */
  reactivate(user: User): Promise<User | null>
  dispose(): void
}

/** Number of rows per page. */
const pageSize = 30

/** Opens the store of the users. */
export function usersStore(session: Session): UsersStore {
  const { security } = session.client
  const { signal, dispose } = openStore<null>(session, null)
  const { $state: $roles, set: setRoles } = openState<readonly Role[]>(signal, [])
  const rows = createRows(session.signal)
  let filters: UserFilters = {}
  const list = createPagedList<User>({
    signal,
    pageSize,
    fetchPage: (page) => security.users({ ...filters, ...page }),
  })
  const loadRoles = async () => {
    const result = await outcome(signal, security.roles({ signal }))
    if (result !== null && 'value' in result) setRoles(result.value)
  }
  const load = async () => {
    await Promise.all([list.load(), loadRoles()])
  }
  const show = (user: User) =>
    list.change((items) => items.map((item) => (item.id === user.id ? user : item)))
  /** Changes a user. The page can end while the request is sent, so the request belongs to the session. */
  const change = async (id: string, request: () => Promise<User>): Promise<User | null> => {
    const user = await rows.run(id, request)
    if (user !== null) show(user)
    return user
  }
  const options = { signal: session.signal }
  return {
    $list: list.$list,
    $roles,
    $rows: rows.$rows,
    dismiss: rows.dismiss,
    dispose,
    load,
    loadMore: list.loadMore,
    open(next) {
      if (JSON.stringify(next) !== JSON.stringify(filters)) list.reset()
      filters = next
      return load()
    },
    async invite(person) {
      const user = await change(invitationRow, () => security.invite(person, options))
      // After a lost answer, the list shows whether the user exists.
      void list.load()
      return user
    },
    async setRoles({ id, roles }, roleIds) {
      const expected = roles.map((role) => role.id)
      const changed = await change(id, () => security.setUserRoles(id, roleIds, { expected, ...options }))
      if (isConflict(rows.$rows.get().get(id))) {
        const current = await outcome(signal, security.user(id, { signal }))
        if (current !== null && 'value' in current) show(current.value)
      }
      return changed
    },
    deactivate: ({ id }) => change(id, () => security.deactivateUser(id, options)),
    reactivate: ({ id }) => change(id, () => security.reactivateUser(id, options)),
  }
}
