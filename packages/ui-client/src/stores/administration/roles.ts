import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import type { Permission, Role } from '../../wire/security.ts'
import { openStore, outcome, type Store } from '../store.ts'
import { createRows, type RowState, type Rows } from './rows.ts'

/** The roles, and the permissions that they can grant. A failed load keeps earlier values. */
export interface RolesState {
  readonly status: 'loading' | 'ready' | 'failed'
  readonly roles: readonly Role[]
  readonly permissions: readonly Permission[]
  /** The error of the last load. It is null unless the status is `failed`. */
  readonly error: KitError | null
}

/** The permissions that a change adds and removes. */
export interface PermissionChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** The roles of the service, for administrators. */
export interface RolesStore extends Store<RolesState>, Pick<Rows, '$rows'> {
  load(): Promise<void>
  /**
   * Grants `permissions`, if the role still has the permissions of `role`. Resolves with null if this fails: `$rows` has the
   * error. After `roles.version_conflict`, the current roles are loaded.
   */
  save(role: Role, permissions: readonly string[]): Promise<Role | null>
}

/** Returns the difference between two lists of permissions. */
export function permissionChange(from: readonly string[], to: readonly string[]): PermissionChange {
  return {
    added: to.filter((permission) => !from.includes(permission)),
    removed: from.filter((permission) => !to.includes(permission)),
  }
}

/** Applies a change to the current permissions of a role, which another administrator may have changed. */
export function applyChange(
  current: readonly string[],
  { added, removed }: PermissionChange,
): readonly string[] {
  return [...new Set([...current, ...added])].filter((permission) => !removed.includes(permission))
}

/** Opens the store of the roles. */
export function rolesStore(session: Session): RolesStore {
  const { security } = session.client
  const store = openStore<RolesState>(session, { status: 'loading', roles: [], permissions: [], error: null })
  const { signal } = store
  const rows = createRows(signal)
  const load = async (): Promise<void> => {
    const result = await outcome(
      signal,
      Promise.all([security.roles({ signal }), security.permissions({ signal })]),
    )
    if (result === null) return
    store.update((state) => {
      if ('error' in result) return { ...state, status: 'failed', error: result.error }
      const [roles, permissions] = result.value
      return { status: 'ready', roles, permissions, error: null }
    })
  }
  return {
    $state: store.$state,
    $rows: rows.$rows,
    dispose: store.dispose,
    load,
    async save(role, permissions) {
      const expected = role.permissions
      const saved = await rows.run(role.id, () =>
        security.setRolePermissions(role.id, permissions, { expected, signal: session.signal }),
      )
      if (saved !== null) {
        store.update((state) => ({
          ...state,
          roles: state.roles.map((one) => (one.id === saved.id ? saved : one)),
        }))
      } else if (isConflict(rows.$rows.get().get(role.id))) await load()
      return saved
    },
  }
}

/** Returns whether a change failed because another administrator has changed the role. */
const isConflict = (row: RowState | undefined): boolean =>
  row?.status === 'failed' && row.error.code === 'roles.version_conflict'
