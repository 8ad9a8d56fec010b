import type { Database, Db } from '@vertical-kit/core-audit/database'
import { PgDialect } from 'drizzle-orm/pg-core'
import { type SQL, sql } from 'drizzle-orm/sql'
import { expect } from 'vitest'

/** A node of an executed plan, in the JSON format of `explain`. */
export type Plan = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Heap Fetches'?: number
  readonly Plans?: readonly Plan[]
}
type Explained = { 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Returns the number of rows that a node has read, including the rows that it has discarded. */
export const readCountOf = (node: Plan): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (!Array.isArray(value)) return quoted(String(value))
  return quoted(`{${value.map((item) => (item === null ? 'null' : JSON.stringify(item))).join(',')}}`)
}

/** Runs a statement twice, and returns the nodes of both plans: one custom plan for its values, and one generic plan. */
export async function plansOf(database: Database, statement: SQL): Promise<readonly (readonly Plan[])[]> {
  return database.transaction(async (tx) => {
    const { sql: text, params } = new PgDialect().sqlToQuery(statement)
    await tx.execute(sql`prepare statement_to_explain as ${sql.raw(text)}`)
    const values = params.length === 0 ? '' : `(${params.map(literal).join(', ')})`
    const plans: (readonly Plan[])[] = []
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await tx.execute(sql`set local plan_cache_mode = ${sql.raw(mode)}`)
      const [explained] = await tx.execute<Explained>(
        sql`explain (analyze, format json) execute statement_to_explain ${sql.raw(values)}`,
      )
      plans.push(nodesOf((explained as Explained)['QUERY PLAN'][0].Plan))
    }
    await tx.execute(sql`deallocate statement_to_explain`)
    return plans
  })
}

/** Runs a read and returns the SQL statement that it sends. */
export async function statementOf(database: Database, read: (db: Db) => Promise<unknown>): Promise<SQL> {
  const sent: SQL[] = []
  await database.read((db) =>
    read({
      execute(statement) {
        sent.push(statement)
        return db.execute(statement)
      },
    }),
  )
  expect(sent).toHaveLength(1)
  return sent[0] as SQL
}
