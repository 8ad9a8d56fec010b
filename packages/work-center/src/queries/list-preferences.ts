import { sql } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { Channel, Preference } from '../contract.ts'
import { type ItemDefinition, isDefault } from '../definitions/definition.ts'
import { isEnabledBy, isFor, isMandatoryIn } from '../policy.ts'
import type { preferences } from '../schema.ts'
import { assignedRoles } from './viewer.ts'

type Row = RowOf<typeof preferences, 'code' | 'channel' | 'isEnabled'>

/**
 * Returns the caller's preferences for all definitions that apply to one of their active assigned roles. The result has the
 * order of the definitions, with one preference for each channel. Runs one statement, or no statement if no definition applies.
 */
export async function listPreferences(
  db: Db,
  definitions: readonly ItemDefinition[],
  caller: Caller,
): Promise<Preference[]> {
  const roles = assignedRoles(caller).map(({ code }) => code)
  const applicable = definitions.filter((definition) => isFor(definition, roles))
  if (caller.userId === null || applicable.length === 0) return []
  const rows = await db.execute<Row>(sql`
    select code, channel, is_enabled
    from work_center.preferences
    where user_id = ${caller.userId}::uuid`)
  const choices = new Map(rows.map((row) => [`${row.code} ${row.channel}`, { isEnabled: row.is_enabled }]))
  return applicable.flatMap((definition) =>
    definition.channels.map((channel) =>
      toPreference(definition, channel, choices.get(`${definition.code} ${channel}`)),
    ),
  )
}

function toPreference(
  definition: ItemDefinition,
  channel: Channel,
  choice: { readonly isEnabled: boolean } | undefined,
): Preference {
  const { code, kind, displayName, category, description, userCanDisable } = definition
  return {
    code,
    kind,
    displayName,
    category,
    description,
    channel,
    isEnabled: isEnabledBy(definition, channel, choice),
    defaultEnabled: isDefault(definition, channel),
    userCanDisable: channel === 'Email' || userCanDisable,
    isMandatory: isMandatoryIn(definition, channel),
  }
}
