import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

/**
 * Acquires the claims lock in shared mode. A claim reads rights and then claims, so it could commit with revoked rights
 * after `findLostClaims` has searched for such claims. Therefore every claim shares this lock from before it reads rights,
 * and `findLostClaims` waits for all claims in progress. Later claims read the new rights. Acquire it before any task lock.
 */
export async function shareClaimsLock(tx: Tx): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock_shared(hashtextextended('vertical-kit.work-center.claims', 0))`,
  )
}

/** Waits for the claims in progress, and blocks new ones until the transaction ends. See {@link shareClaimsLock}. */
export async function lockClaims(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('vertical-kit.work-center.claims', 0))`)
}
