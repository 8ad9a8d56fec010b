import { sql } from 'drizzle-orm/sql'
import type { Tx } from '../../database/database.ts'
import { newId } from '../../database/new-id.ts'
import type { RowOf } from '../../database/row-of.ts'
import type { Caller } from '../caller.ts'
import type { users } from '../schema.ts'

/**
 * Creates the caller's user record, or brings its email and name up to the token's, and returns its id.
 * Two first mutations at once make one record.
 */
export async function ensureUser(tx: Tx, caller: Caller): Promise<string> {
  const [row] = await tx.execute<RowOf<typeof users, 'id'>>(sql`
    insert into core_audit.users (id, subject, email, display_name)
    values (${newId()}, ${caller.subject}, ${caller.email}, ${caller.displayName})
    on conflict (subject) do update
    set email = excluded.email,
      display_name = excluded.display_name,
      updated_at = clock_timestamp()
    returning id`)
  if (row === undefined) throw new Error('The upsert of a user returned no row')
  return row.id
}
