import { type Caller, type RequiredPermission, requirePermission } from '../access/caller.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Authorize } from './authorize.ts'
import type { BusinessObjects } from './business-objects.ts'
import type { BusinessObjectReference } from './contract.ts'

/** The rights with which server code reads or writes content: the rights of a caller, or `system`, which is not checked. */
export type ActingAs = Caller | 'system'

/**
 * Loads the caller with current rights. A request provides this function as `c.get('callerNow')`.
 * @throws {CoreError} auth.inactive
 */
export type CallerNow = (tx: Tx) => Promise<Caller>

/** The input of {@link contentAccess}: the objects, and the error of the package that stores their content. */
export interface ContentAccessOptions {
  readonly businessObjects: BusinessObjects
  /** Creates the error for content that does not exist or belongs to an object that the caller is not allowed to read. */
  readonly notFound: () => Error
}

/** A permission on a business object. */
export interface TargetAccess {
  readonly permission: RequiredPermission
  readonly target: BusinessObjectReference
}

/** The checks of a package that stores content of business objects, such as notes. */
export interface ContentAccess {
  /**
   * Checks access to a business object that the client names, for a list or for new content.
   * @throws {CoreError} permission.denied · business_object.unsupported · business_object.not_found
   */
  requireTarget(db: Db, as: ActingAs, access: TargetAccess): Promise<void>
  /** Checks the business object of existing content; throws `notFound` if the caller is not allowed to read the object. */
  requireVisibleTarget(db: Db, caller: Caller, target: BusinessObjectReference): Promise<void>
  /** Returns existing content of a readable business object; throws `notFound` for all other content. */
  requireVisible<Content extends { readonly target: BusinessObjectReference }>(
    db: Db,
    caller: Caller,
    content: Content | undefined,
  ): Promise<Content>
  /**
   * Creates the {@link Authorize} of a change. Under the row's lock, it checks the permission and the business object. The
   * permission of a `Caller` is also checked before the lock; a `CallerNow` is loaded again under the lock.
   *
   * @throws {CoreError} permission.denied, from this call or from the returned check; the check also throws `notFound` or
   *   auth.inactive
   */
  authorizing(as: ActingAs | CallerNow, permission: RequiredPermission): Authorize
}

/** Binds the checks to the business objects of a deployment and to the package's own error. */
export function contentAccess({ businessObjects, notFound }: ContentAccessOptions): ContentAccess {
  const requireVisibleTarget: ContentAccess['requireVisibleTarget'] = async (db, caller, target) => {
    if (!(await businessObjects.isReadable(db, caller, target))) throw notFound()
  }
  return {
    requireVisibleTarget,
    async requireTarget(db, as, { permission, target }) {
      if (as === 'system') return
      await businessObjects.requireReadable(db, requirePermission(as, permission), target)
    },
    async requireVisible(db, caller, content) {
      if (content === undefined) throw notFound()
      await requireVisibleTarget(db, caller, content.target)
      return content
    },
    authorizing(as, permission) {
      if (as === 'system') return async () => {}
      if (typeof as === 'object') requirePermission(as, permission)
      return async (tx, target) => {
        const caller = typeof as === 'object' ? as : await as(tx)
        await requireVisibleTarget(tx, requirePermission(caller, permission), target)
      }
    },
  }
}
