import type { Db } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { CannotStartError } from '../../host/cannot-start-error.ts'
import type { AccessRules } from '../policy.ts'
import type { roles } from '../schema.ts'

/**
 * Checks that nobody without full access has chosen the code of an administrator role: such a role would give everything to its
 * users once a release registers its code.
 * @throws {CannotStartError}
 */
export async function requireTrustedCodes(db: Db, { administratorRoleCodes }: AccessRules): Promise<void> {
  const rows = await db.execute<RowOf<typeof roles, 'code'>>(sql`
    select code
    from core_audit.roles
    where code = any(${sql.param([...administratorRoleCodes])}::text[]) and not is_code_trusted
    order by code`)
  if (rows.length === 0) return
  const codes = rows.map(({ code }) => code).join(', ')
  throw new CannotStartError(
    `This release would grant everything to the users of ${codes}, but a user without full access has chosen this code ` +
      '(see the events roles.created and roles.updated in the audit log). Change the code of the role under the previous ' +
      'release, or trust it: update core_audit.roles set is_code_trusted = true where code = …',
  )
}
