import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'

/**
 * Claims look at rights and then claim; who gives claims back looks for those whose rights are gone. Between the two a claim
 * could commit that neither sees. So claims share this lock, asked for before they look at rights, and who gives them
 * back waits for all that are under way; those that come after see the rights as they are now. Before any lock of a task.
 */
export async function shareClaimsLock(tx: Tx): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock_shared(hashtextextended('vertical-kit.work-center.claims', 0))`,
  )
}

/** Waits for the claims under way, and holds up others until the transaction ends. See {@link shareClaimsLock}. */
export async function lockClaims(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('vertical-kit.work-center.claims', 0))`)
}
