import type { Database } from '@vertical-kit/core-audit/database'
import { PgDialect } from 'drizzle-orm/pg-core'
import { type SQL, sql } from 'drizzle-orm/sql'
import { expect } from 'vitest'

/** A node of an executed plan, in the JSON format of `explain`. */
export type Plan = {
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly Plan[]
}
type Explained = { 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const literal = (value: unknown): string =>
  Array.isArray(value) ? `'{${value.join(',')}}'` : `'${String(value).replaceAll("'", "''")}'`

/** Runs a statement with a custom and a generic plan, rolls its changes back, and returns the nodes of both plans. */
async function plansOf(database: Database, statement: SQL): Promise<readonly (readonly Plan[])[]> {
  const plans: (readonly Plan[])[] = []
  const undone = new Error('Rolled back')
  const { sql: text, params } = new PgDialect().sqlToQuery(statement)
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    const running = database.transaction(async (tx) => {
      await tx.execute(sql`set local plan_cache_mode = ${sql.raw(mode)}`)
      await tx.execute(sql`prepare statement_to_explain as ${sql.raw(text)}`)
      const values = params.length === 0 ? '' : `(${params.map(literal).join(', ')})`
      const [explained] = await tx.execute<Explained>(
        sql`explain (analyze, buffers, format json) execute statement_to_explain ${sql.raw(values)}`,
      )
      await tx.execute(sql`deallocate statement_to_explain`)
      plans.push(nodesOf((explained as Explained)['QUERY PLAN'][0].Plan))
      throw undone
    })
    await running.catch((error: unknown) => {
      if (error !== undone) throw error
    })
  }
  return plans
}

const isOfTable = (node: Plan): boolean => node['Relation Name'] !== undefined

/** Returns the most rows that one node of a statement's plans reads, including the rows that it discards. */
export async function mostRead(database: Database, statement: SQL, isCounted = isOfTable): Promise<number> {
  const counts = (await plansOf(database, statement))
    .flat()
    .filter(isCounted)
    .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'])
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
