import { CoreError } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import type { Preference } from '../contract.ts'
import type { ItemDefinition } from '../definitions/definition.ts'
import { checkPreferences, type PreferenceChange } from '../policy.ts'
import { listPreferences } from '../queries/list-preferences.ts'

export interface SetPreferences {
  readonly userId: string
  /** As {@link requireSettable} has accepted them. */
  readonly changes: readonly PreferenceChange[]
  /** With their roles as of now. */
  callerNow(tx: Tx): Promise<Caller>
}

/**
 * Refuses changes that the caller may not make, before anything is written.
 *
 * @throws {WorkCenterError} work_center.preference_unknown · preference_not_applicable · preference_mandatory
 * @throws {CoreError} request.invalid when one preference is named twice
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
 * Switches kinds of items on or off for one user, all of the changes or none, and returns every preference they have.
 * Roles are checked again after the write: changes that no longer apply to them are rolled back.
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

const rolesOf = ({ roles }: Caller): readonly string[] => roles.map(({ code }) => code)

/** In the order of the key, so that two requests of one user do not wait for each other in a circle. */
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
  const errors = repeated.map((index) => ({ path: `preferences.${index}`, message: 'is named twice' }))
  throw new CoreError('request.invalid', { errors })
}
