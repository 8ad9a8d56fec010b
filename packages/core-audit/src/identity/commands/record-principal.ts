import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { CoreError } from '../../errors.ts'
import type { users } from '../schema.ts'
import type { Principal } from '../tokens.ts'

/**
 * Creates the record of the user of a request, or updates its name and e-mail address, and returns its id. Values that the
 * credentials do not contain stay as stored: an invitation can have created the record since the request read it.
 * Concurrent first calls create one record.
 *
 * @throws {CoreError} auth.inactive, because an invited or known user can have been deactivated since the request read it
 */
export async function recordPrincipal(tx: Tx, principal: Principal): Promise<string> {
  const { subject, email, displayName, defaultName = subject } = principal
  const [row] = await tx.execute<RowOf<typeof users, 'id'>>(sql`
    insert into core_audit.users (id, subject, email, display_name)
    values (${tx.newId()}, ${subject}, ${email}, ${displayName ?? defaultName})
    on conflict (subject) do update
    set email = coalesce(excluded.email, users.email),
      display_name = coalesce(${displayName}::text, users.display_name),
      updated_at = clock_timestamp()
    where users.is_active
    returning id`)
  if (row === undefined) throw new CoreError('auth.inactive')
  return row.id
}
