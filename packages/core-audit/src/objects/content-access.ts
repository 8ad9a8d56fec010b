import { type Caller, type RequiredPermission, requirePermission } from '../access/caller.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Authorize } from './authorize.ts'
import type { BusinessObjects } from './business-objects.ts'
import type { BusinessObjectReference } from './contract.ts'

/** On whose behalf server code reads or writes content: with the rights of a caller, or as `system`, without a check. */
export type ActingAs = Caller | 'system'

/**
 * Loads a caller with their rights as of now: `c.get('callerNow')` of a request.
 * @throws {CoreError} auth.inactive
 */
export type CallerNow = (tx: Tx) => Promise<Caller>

export interface ContentAccessOptions {
  readonly businessObjects: BusinessObjects
  /** The refusal of content that does not exist, and of content whose parent the caller may not read. */
  readonly notFound: () => Error
}

/** A permission on an object. */
export interface TargetAccess {
  readonly permission: RequiredPermission
  readonly target: BusinessObjectReference
}

/** The checks of a package that keeps content of business objects, such as notes. */
export interface ContentAccess {
  /**
   * Checks a list, or new content, of an object that the client named.
   * @throws {CoreError} permission.denied · business_object.unsupported · business_object.not_found
   */
  requireTarget(db: Db, as: ActingAs, access: TargetAccess): Promise<void>
  /** Checks the parent of existing content; throws `notFound` when the caller may not read it. */
  requireVisibleTarget(db: Db, caller: Caller, target: BusinessObjectReference): Promise<void>
  /** Returns content that exists and whose parent the caller may read; throws `notFound` for any other. */
  requireVisible<Content extends { readonly target: BusinessObjectReference }>(
    db: Db,
    caller: Caller,
    content: Content | undefined,
  ): Promise<Content>
  /**
   * Makes the {@link Authorize} of a change: behind the row's lock it checks the permission and the parent. A `Caller`
   * is also checked for the permission at once, before the lock; a `CallerNow` is loaded again behind the lock.
   *
   * @throws {CoreError} permission.denied, at once or by the check; the check also throws `notFound`, or auth.inactive
   */
  authorizing(as: ActingAs | CallerNow, permission: RequiredPermission): Authorize
}

/** Binds the checks to the parents of a deployment and to the package's own refusal. */
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
