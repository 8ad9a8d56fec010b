import type { Database } from '@vertical-kit/core-audit/database'
import { sql } from 'drizzle-orm/sql'
import { expect } from 'vitest'
import { bookViolations } from './book-violations.ts'

/** Asserts that no query returns a violation. */
export async function checkBooks(database: Database): Promise<void> {
  for (const [what, query] of Object.entries(bookViolations)) {
    expect({ [what]: await database.read((db) => db.execute(query)) }).toEqual({ [what]: [] })
  }
}

/** Returns the open balance of an invoice, calculated from the books. */
export async function outstandingOf(database: Database, { id }: { readonly id: string }): Promise<string> {
  const rows = await database.read((db) =>
    db.execute<{ outstanding: string }>(sql`
      select sum(debit - credit)::text as outstanding
      from trade.posting_entries
      where open_item_id = ${id}::uuid`),
  )
  return rows[0]?.outstanding ?? 'no entries'
}
