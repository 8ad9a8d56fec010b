import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import type { users } from '../schema.ts'

/** The profile of a user as the record stores it. */
export interface UserProfile {
  /** The stable, opaque id of the user at the identity provider or in the application. */
  readonly subject: string
  readonly displayName: string
  readonly email: string | null
}

/**
 * Creates the record of a user of the application, or updates its name and e-mail address, and returns its id. An address of
 * `null` removes the stored address. Concurrent first calls create one record.
 */
export async function ensureUser(tx: Tx, { subject, displayName, email }: UserProfile): Promise<string> {
  const [row] = await tx.execute<RowOf<typeof users, 'id'>>(sql`
    insert into core_audit.users (id, subject, email, display_name)
    values (${tx.newId()}, ${subject}, ${email}, ${displayName})
    on conflict (subject) do update
    set email = excluded.email,
      display_name = excluded.display_name,
      updated_at = clock_timestamp()
    returning id`)
  if (row === undefined) throw new Error('The upsert of a user returned no row')
  return row.id
}
