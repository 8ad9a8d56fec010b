import { isDeepStrictEqual } from 'node:util'
import { CoreError, recordAudit, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import { userEvent } from '@vertical-kit/core-audit/identity'
import type { Substitution } from '../contract.ts'
import { WorkCenterError } from '../errors.ts'
import type { VersionChanges } from '../inbox/version-changes.ts'
import {
  findStoredSubstitution,
  findSubstitution,
  type SubstitutionRow,
  toSubstitution,
} from '../queries/find-substitution.ts'
import { lockSubstitutions } from './claims-lock.ts'
import { raiseVersions } from './raise-versions.ts'

/** The change of a user's substitute. */
export interface SubstitutionChange {
  /** The user who is substituted. */
  readonly userId: string
  readonly actor: Actor
  /**
   * Checks the current rights of the actor, under the lock.
   * @throws {CoreError} auth.inactive · permission.denied
   */
  authorize(tx: Tx): Promise<unknown>
}

export interface SetSubstitution extends SubstitutionChange {
  readonly substitution: Substitution
}

/** The new substitution, and the versions to announce after the commit. */
export interface ChangedSubstitution {
  readonly substitution: Substitution | null
  readonly versions: VersionChanges
}

/** Matches the constraint `substitutions_period_check`. */
const maxDays = 180

/**
 * Names the substitute of a user for a period, and replaces an earlier one. A repeat changes nothing. Changes of substitutions
 * wait for each other, so two users who name each other at the same moment cannot form a chain. The clock of the database
 * decides about the period.
 *
 * @throws {WorkCenterError} work_center.recipient_not_eligible if the substitute is unknown, inactive or the user themselves ·
 *   work_center.substitution_chain if the substitute has a substitute in this period
 * @throws {CoreError} users.not_found · request.invalid if the period has ended or is too long · permission.denied
 */
export async function setSubstitution(
  tx: Tx,
  administratorRoleCodes: readonly string[],
  input: SetSubstitution,
): Promise<ChangedSubstitution> {
  const { userId, substitution, actor, authorize } = input
  const [, , facts] = await Promise.all([
    lockSubstitutions(tx),
    authorize(tx),
    readFacts(tx, userId, substitution),
  ])
  if (!facts.is_user) throw new CoreError('users.not_found')
  requirePeriod({ ...substitution, hasEnded: facts.has_ended })
  if (!facts.is_eligible || substitution.userId === userId) {
    throw new WorkCenterError('work_center.recipient_not_eligible', {
      detail: 'Choose another active user as substitute.',
    })
  }
  if (facts.is_chain) throw new WorkCenterError('work_center.substitution_chain')
  const stored = await findStoredSubstitution(tx, userId)
  const before = stored?.hasEnded === false ? stored.substitution : null
  // A repeat, for example after a lost response.
  if (isDeepStrictEqual(before, substitution)) return { substitution: before, versions: new Map() }
  const [[row]] = await Promise.all([
    tx.execute<SubstitutionRow>(sql`
      insert into work_center.substitutions as s (user_id, substitute_user_id, from_at, until_at, changes_at)
      select ${userId}::uuid, ${substitution.userId}::uuid, p.from_at, p.until_at,
        case when p.from_at > statement_timestamp() then p.from_at else p.until_at end
      from (
        select ${substitution.fromUtc}::timestamptz as from_at, ${substitution.untilUtc}::timestamptz as until_at
      ) p
      on conflict (user_id) do update
      set substitute_user_id = excluded.substitute_user_id, from_at = excluded.from_at, until_at = excluded.until_at,
        changes_at = excluded.changes_at
      returning substitute_user_id, from_at, until_at`),
    recordAudit(tx, substitutionEvent(userId, actor, { before, after: substitution })),
  ])
  if (row === undefined) throw new Error('The upsert of a substitution returned no row')
  // If the stored period has ended, its substitute still waits for a version from the clock, which can no longer find the row.
  const former = stored?.substitution ?? null
  const versions = await raiseVersions(tx, administratorRoleCodes, substitutesOf(former, substitution))
  return { substitution: toSubstitution(row), versions }
}

/**
 * Ends the substitution of a user. Idempotent.
 * @throws {CoreError} users.not_found · permission.denied
 */
export async function endSubstitution(
  tx: Tx,
  administratorRoleCodes: readonly string[],
  { userId, actor, authorize }: SubstitutionChange,
): Promise<ChangedSubstitution> {
  const [, , before, [user]] = await Promise.all([
    lockSubstitutions(tx),
    authorize(tx),
    findSubstitution(tx, userId),
    tx.execute(sql`select from core_audit.user_accounts where id = ${userId}::uuid`),
  ])
  if (user === undefined) throw new CoreError('users.not_found')
  if (before === null) return { substitution: null, versions: new Map() }
  await Promise.all([
    tx.execute(sql`delete from work_center.substitutions where user_id = ${userId}::uuid`),
    recordAudit(tx, substitutionEvent(userId, actor, { before, after: null })),
  ])
  return {
    substitution: null,
    versions: await raiseVersions(tx, administratorRoleCodes, substitutesOf(before, null)),
  }
}

type Facts = { is_user: boolean; is_eligible: boolean; is_chain: boolean; has_ended: boolean }

async function readFacts(tx: Tx, userId: string, substitution: Substitution): Promise<Facts> {
  const { userId: substituteId, fromUtc, untilUtc } = substitution
  const [facts] = await tx.execute<Facts>(sql`
    select
      exists (select from core_audit.user_accounts where id = ${userId}::uuid) as is_user,
      exists (select from core_audit.user_accounts where id = ${substituteId}::uuid and is_active) as is_eligible,
      exists (
        select
        from work_center.substitutions s
        where s.user_id = ${substituteId}::uuid and s.until_at > statement_timestamp()
          and s.from_at < ${untilUtc}::timestamptz and s.until_at > ${fromUtc}::timestamptz
      ) as is_chain,
      ${untilUtc}::timestamptz <= statement_timestamp() as has_ended`)
  if (facts === undefined) throw new Error('The query returned no row')
  return facts
}

function requirePeriod({ fromUtc, untilUtc, hasEnded }: Substitution & { readonly hasEnded: boolean }): void {
  const days = (Date.parse(untilUtc) - Date.parse(fromUtc)) / 86_400_000
  const message =
    days <= 0
      ? 'must be after fromUtc'
      : days > maxDays
        ? `must be at most ${maxDays} days after fromUtc`
        : hasEnded
          ? 'must be in the future'
          : null
  if (message !== null) throw new CoreError('request.invalid', { errors: [{ path: 'untilUtc', message }] })
}

/** The former and the new substitute: their views change, at the latest with the start of the period. */
const substitutesOf = (before: Substitution | null, after: Substitution | null) => [
  {
    userIds: [...new Set([before, after].flatMap((one) => one?.userId ?? []))].join(','),
    viewPermission: null,
  },
]

function substitutionEvent(
  userId: string,
  actor: Actor,
  { before, after }: { readonly before: Substitution | null; readonly after: Substitution | null },
) {
  const names = {
    userId: 'substituteUserId',
    fromUtc: 'substituteFromUtc',
    untilUtc: 'substituteUntilUtc',
  } as const
  return userEvent({
    id: userId,
    actionCode: after === null ? 'users.substitution_ended' : 'users.substitution_set',
    actor,
    changes: (['userId', 'fromUtc', 'untilUtc'] as const)
      .filter((name) => before?.[name] !== after?.[name])
      .map((name) => ({
        fieldPath: names[name],
        oldValue: before?.[name] ?? null,
        newValue: after?.[name] ?? null,
      })),
  })
}
