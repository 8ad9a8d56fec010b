import type { Tx } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'

/**
 * Looks again at what the author of a change may, once the row is locked and before anything is written: the change
 * that was waited for may have revoked it. Throws when they may not.
 */
export type Authorize = (tx: Tx, target: BusinessObjectReference) => Promise<void>
