import { CoreError, sql } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Preference } from '../contract.ts'
import type { ItemDefinition } from '../definitions/definition.ts'
import { checkPreferences, type PreferenceChange } from '../policy.ts'
import { listPreferences } from '../queries/list-preferences.ts'
import { assignedRoles } from '../queries/viewer.ts'

export interface SetPreferences {
  readonly userId: string
  /** The changes that {@link requireSettable} has accepted. */
  readonly changes: readonly PreferenceChange[]
  /** Returns the caller with their current roles. */
  callerNow(tx: Tx): Promise<Caller>
}

/**
 * Rejects changes that the caller is not allowed to make. Call it before anything is written.
 *
 * @throws {WorkCenterError} work_center.preference_unknown · preference_not_applicable · preference_mandatory
 * @throws {CoreError} request.invalid when a preference is listed twice
 */
export function requireSettable(
  definitions: readonly ItemDefinition[],
  caller: Caller,
  changes: readonly PreferenceChange[],
): void {
  refuseRepeated(changes)
  checkPreferences(definitions, rolesOf(caller), changes)
}

/**
 * Switches kinds of items on or off for one user, and returns all preferences of this user. Applies all changes or none:
 * after the write, it checks the current roles of the user, and throws if a change does not apply to these roles.
 *
 * @throws {WorkCenterError} work_center.preference_unknown · preference_not_applicable · preference_mandatory
 */
export async function setPreferences(
  tx: Tx,
  definitions: readonly ItemDefinition[],
  { userId, changes, callerNow }: SetPreferences,
): Promise<Preference[]> {
  const [, now] = await Promise.all([write(tx, userId, changes), callerNow(tx)])
  checkPreferences(definitions, rolesOf(now), changes)
  return listPreferences(tx, definitions, now)
}

/** Roles of a token do not count: they make nobody a recipient, so a preference would have no effect. */
const rolesOf = (caller: Caller): readonly string[] => assignedRoles(caller).map(({ code }) => code)

/** Writes in the order of the primary key, so two requests of one user cannot deadlock. */
const write = (tx: Tx, userId: string, changes: readonly PreferenceChange[]) =>
  tx.execute(sql`
    insert into work_center.preferences as p (user_id, code, channel, is_enabled)
    select ${userId}::uuid, c.code, c.channel, c."isEnabled"
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) c (code text, channel text, "isEnabled" boolean)
    order by c.code, c.channel
    on conflict (user_id, code, channel) do update
    set is_enabled = excluded.is_enabled, updated_at = clock_timestamp()
    where p.is_enabled <> excluded.is_enabled`)

function refuseRepeated(changes: readonly PreferenceChange[]): void {
  const keys = changes.map(({ code, channel }) => JSON.stringify([code, channel]))
  const repeated = keys.flatMap((key, index) => (keys.indexOf(key) < index ? [index] : []))
  if (repeated.length === 0) return
  const errors = repeated.map((index) => ({ path: `preferences.${index}`, message: 'is listed twice' }))
  throw new CoreError('request.invalid', { errors })
}
