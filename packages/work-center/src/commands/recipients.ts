import { type SQL, sql } from 'drizzle-orm/sql'
import type { ItemDefinition } from '../definitions/definition.ts'

/**
 * `from … where …` over everybody a definition is for and who has not switched it off, as members `m`; who has several of its
 * roles is there several times. More conditions may follow.
 */
export function fromRecipients({ code, roleCodes, defaultEnabled, userCanDisable }: ItemDefinition): SQL {
  // What may not be switched off does not ask what a user once chose.
  const isEnabled =
    userCanDisable || !defaultEnabled ? sql`coalesce(p.is_enabled, ${defaultEnabled}::boolean)` : sql`true`
  return sql`
      from core_audit.active_role_members m
      left join work_center.preferences p
        on p.user_id = m.user_id and p.code = ${code} and p.channel = 'InApp'
      where m.role_code = any(${sql.param(roleCodes)}::text[])
        and ${isEnabled}`
}
