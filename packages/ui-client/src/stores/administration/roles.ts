import type { RoleTexts } from '../../client/administration.ts'
import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import type { Permission, Role } from '../../wire/security.ts'
import { openStore, outcome, type Store } from '../store.ts'
import { createRows, isConflict, type Rows } from './rows.ts'

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

/** The key of the texts of a role in the rows of the store. Without an id: the key of a new role. */
export const roleTextsRow = (id = ''): string => `texts:${id}`

/** The roles of the service, for administrators. Changes resolve with null if they fail: `$rows` has the error. */
export interface RolesStore extends Store<RolesState>, Pick<Rows, '$rows' | 'dismiss'> {
  load(): Promise<void>
  /** Adds a role without permissions. If this fails, the roles are loaded again: the answer can have been lost. */
  create(texts: RoleTexts): Promise<Role | null>
  /** Changes the code, name and description of a role. */
  rename(role: Role, texts: RoleTexts): Promise<Role | null>
  /** Switches a role off: it grants nothing to its users. Roles cannot be deleted. */
  deactivate(role: Role): Promise<Role | null>
  /** Switches a role on again. */
  reactivate(role: Role): Promise<Role | null>
  /**
   * Grants `permissions`, if the role still has the permissions of `role`. After `roles.version_conflict`, the current roles
   * are loaded.
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
  const rows = createRows(session.signal)
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
  /**
   * Changes a role. The page can end while the request is sent, so the request belongs to the session. Loads the current roles after a
   * conflict, and after a failed addition: the service can have added the role although its answer was lost.
   */
  const change = async (row: string, request: () => Promise<Role>): Promise<Role | null> => {
    const changed = await rows.run(row, request)
    if (changed !== null) {
      store.update((state) => {
        const others = state.roles.filter(({ id }) => id !== changed.id)
        return { ...state, roles: [...others, changed].sort(byCode) }
      })
    } else if (row === roleTextsRow() || isConflict(rows.$rows.get().get(row))) await load()
    return changed
  }
  const options = { signal: session.signal }
  return {
    $state: store.$state,
    $rows: rows.$rows,
    dismiss: rows.dismiss,
    dispose: store.dispose,
    load,
    create: (texts) =>
      change(roleTextsRow(), () => security.createRole({ ...texts, permissions: [] }, options)),
    rename: ({ id, code, name, description }, texts) =>
      change(roleTextsRow(id), () =>
        security.updateRole(id, texts, { expected: { code, name, description }, ...options }),
      ),
    deactivate: ({ id }) => change(id, () => security.deactivateRole(id, options)),
    reactivate: ({ id }) => change(id, () => security.reactivateRole(id, options)),
    save: ({ id, permissions: expected }, permissions) =>
      change(id, () => security.setRolePermissions(id, permissions, { expected, ...options })),
  }
}

/** The order of the service. */
const byCode = (one: Role, other: Role): number =>
  one.code < other.code ? -1 : Number(one.code > other.code)
