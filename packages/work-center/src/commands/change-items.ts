import type { KitError } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Item } from '../contract.ts'
import type { ItemDefinition } from '../definitions/definition.ts'
import { WorkCenterError } from '../errors.ts'
import type { VersionChanges } from '../inbox/version-changes.ts'
import type { ItemName } from '../queries/find-items.ts'
import type { Viewer } from '../queries/viewer.ts'

/** The rules of a deployment that changes of items need. */
export interface ChangeConfig {
  readonly definitions: readonly ItemDefinition[]
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
}

/** The input of a user's change to items of their own Work Center, 1 to 100. A request for one item is a batch of one. */
export interface ItemChange<Name extends ItemName = ItemName> {
  readonly items: readonly Name[]
  /** The user, with the rights that they had when the request arrived. */
  readonly viewer: Viewer
  readonly actor: Actor
  /** Reads the current rights of the user. Call it only after the rows to change are locked. */
  viewerNow(tx: Tx): Promise<Viewer>
}

/** An item with the version that the user saw. Only tasks change their version. */
export interface VersionedName extends ItemName {
  readonly expectedVersion: number
}

/**
 * The result for one item: the item as the user sees it afterwards, `null` if the change succeeded and the user no longer sees it,
 * or the reason why it did not change.
 */
export type ItemResult = Item | null | KitError

export interface ChangedItems {
  /** One result for each item of the input, in the same order. */
  readonly results: readonly ItemResult[]
  /** The versions to announce after the commit. */
  readonly versions: VersionChanges
}

/** The result for an item that the user does not see, or that cannot have this change because of its kind. */
export const notFound = (detail?: string): KitError =>
  new WorkCenterError('work_center.item_not_found', detail === undefined ? {} : { detail })
