import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'

/** Returns the users that a locked note has ever mentioned. Uses the primary key. */
export async function listMentioned(tx: Tx, noteId: string): Promise<ReadonlySet<string>> {
  const rows = await tx.execute<{ user_id: string }>(sql`
    select user_id from notes.mentions where note_id = ${noteId}::uuid`)
  return new Set(rows.map((row) => row.user_id))
}
