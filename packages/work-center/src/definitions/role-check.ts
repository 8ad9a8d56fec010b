import { sql } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { type DoctorCheck, ok, skipped, warning } from '@vertical-kit/core-audit/doctor'
import type { ItemDefinition } from './definition.ts'

export interface RoleCheckOptions {
  readonly database: Database
  readonly definitions: readonly Pick<ItemDefinition, 'roleCodes'>[]
}

/**
 * Returns the check that an active role has each code that a definition names. An administrator can change the code of a role:
 * its members then receive no more of these tasks and notifications, and nothing fails.
 */
export const roleCheck = ({ database, definitions }: RoleCheckOptions): DoctorCheck => ({
  name: 'workCenter.roles',
  needs: ['database.connection'],
  async run() {
    const roles = await database
      .read((db) =>
        db.execute<{ code: string; is_active: boolean }>(sql`select code, is_active from core_audit.roles`),
      )
      .catch(() => [])
    if (roles.length === 0)
      return skipped('Needs database.connection, and the roles that the first start of a host creates.')
    const active = new Set(roles.filter(({ is_active: isActive }) => isActive).map(({ code }) => code))
    const missing = new Set(
      definitions.flatMap(({ roleCodes }) => roleCodes).filter((code) => !active.has(code)),
    )
    if (missing.size === 0) return ok('Each role that a definition names is active.')
    return warning(
      `Definitions name roles that do not exist or are not active: ${[...missing].sort().join(', ')}.`,
      'Create or activate these roles, give a renamed role its code back, or name other roles in the definitions.',
    )
  },
})
