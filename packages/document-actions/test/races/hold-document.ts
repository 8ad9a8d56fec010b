import type { Database } from '@vertical-kit/core-audit/database'
import { type HeldTransaction, holdTransaction } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'

/** Locks the row of a document like an execution does. */
export function holdDocument(
  database: Database,
  { id }: { readonly id: string },
): Promise<HeldTransaction<unknown>> {
  return holdTransaction(database, (tx) =>
    tx.execute(sql`select from document_actions.documents where id = ${id}::uuid for no key update`),
  )
}
