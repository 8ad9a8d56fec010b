import type { Database } from '@vertical-kit/core-audit/database'
import { type PlanNode, plansOf, readCountOf } from '@vertical-kit/core-audit/testing'
import type { SQL } from 'drizzle-orm/sql'
import { expect } from 'vitest'

const isOfTable = (node: PlanNode): boolean => node['Relation Name'] !== undefined

/** Returns the most rows that one node of a statement's plans reads, including the rows that it discards. */
export async function mostRead(database: Database, statement: SQL, isCounted = isOfTable): Promise<number> {
  const counts = (await plansOf(database, statement)).flat().filter(isCounted).map(readCountOf)
  expect(counts).not.toEqual([])
  return Math.max(...counts)
}

/** Returns the most pages that a plan of a statement reads. An index scan also reads pages with entries that it skips. */
export async function mostPages(database: Database, statement: SQL): Promise<number> {
  const plans = await plansOf(database, statement)
  return Math.max(
    ...plans.map(([root]) => (root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0)),
  )
}
