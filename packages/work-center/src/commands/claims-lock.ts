import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'

/** The key of the substitutions lock. A change of a substitution holds it exclusively. */
const substitutionsLock = sql`hashtextextended('vertical-kit.work-center.substitutions', 0)`

/**
 * Acquires the substitutions lock in shared mode. Every transaction that changes entries of tasks must call this before it
 * raises versions. Otherwise, a substitution could begin between its last statement and its commit, and the new substitute
 * would miss the change. It comes after the claims lock, and before all locks of rows.
 */
export const shareSubstitutions: SQL = sql`pg_advisory_xact_lock_shared(${substitutionsLock})`

/** A CTE that acquires the lock of {@link shareSubstitutions}, for statements that lock rows themselves. */
export const substitutionsShared: SQL = sql`substitutions_shared as materialized (select ${shareSubstitutions})`

/**
 * The condition that {@link substitutionsShared} has acquired its lock. It depends on no row, so PostgreSQL evaluates it before
 * it reads or locks the rows that it applies to.
 */
export const afterSubstitutions: SQL = sql`(select count(*) from substitutions_shared) > 0`

/** Waits for all changes of tasks in progress, and blocks new ones until the transaction ends. See {@link shareSubstitutions}. */
export async function lockSubstitutions(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${substitutionsLock})`)
}

/** The key of the claims lock. Handling a change of access holds it exclusively. */
export const claimsLock = sql`hashtextextended('vertical-kit.work-center.claims', 0)`

/**
 * Acquires the claims lock in shared mode. Every claim must call this before it reads the rights of the user and before
 * it locks a task. Otherwise, a claim based on revoked rights could commit after `findLostClaims` has searched for such
 * claims. `findLostClaims` acquires the lock exclusively, so it waits for all claims in progress. Later claims read the
 * new rights.
 */
export async function shareClaimsLock(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${claimsLock}), ${shareSubstitutions}`)
}

/** Waits for all claims and writes of tasks in progress, and blocks new ones until the transaction ends. See {@link shareClaimsLock}. */
export async function lockClaims(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${claimsLock}), ${shareSubstitutions}`)
}
