import type { Database, Tx } from '../database/database.ts'
import { renderStatement } from '../database/render-statement.ts'
import { type SQL, sql } from '../database/sql.ts'
import { recordStatements } from './record-statements.ts'
import { rolledBack } from './rolled-back.ts'

/**
 * A node of an executed plan.
 *
 * @see https://www.postgresql.org/docs/current/sql-explain.html for the JSON format of `explain (analyze, buffers)`
 */
export type PlanNode = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  /** Rows per execution of the node. */
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Heap Fetches'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}
type Explained = { 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }

/**
 * Executes a statement with the plan for its values and with its general plan, rolls its changes back, and returns the nodes of
 * both plans. The first node of a plan is its root. PostgreSQL chooses one of the two for a prepared statement, so a test of a
 * plan checks both.
 */
export async function plansOf(database: Database, statement: SQL): Promise<readonly (readonly PlanNode[])[]> {
  const { text, parameters } = renderStatement(statement)
  const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`
  const plans: (readonly PlanNode[])[] = []
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await rolledBack(database, async (tx) => {
      await tx.execute(sql`set local plan_cache_mode = ${sql.raw(mode)}`)
      await tx.execute(sql`prepare statement_to_explain as ${sql.raw(text)}`)
      const [explained] = await tx.execute<Explained>(
        sql`explain (analyze, buffers, format json) execute statement_to_explain ${sql.raw(values)}`,
      )
      await tx.execute(sql`deallocate statement_to_explain`)
      plans.push(nodesOf((explained as Explained)['QUERY PLAN'][0].Plan))
    })
  }
  return plans
}

/** Returns the number of rows that a node has read, including the rows that it has discarded. */
export const readCountOf = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']

/**
 * Runs code in a transaction that it rolls back, and returns the statement that the code sends.
 * @throws {Error} if the code sends another number of statements than one
 */
export async function statementOf(database: Database, work: (tx: Tx) => Promise<unknown>): Promise<SQL> {
  const recorded = recordStatements()
  await rolledBack(recorded.observe(database), work)
  const [statement] = recorded.statements
  if (statement === undefined || recorded.count > 1) throw new Error(`Sent ${recorded.count} statements`)
  return statement
}

const nodesOf = (plan: PlanNode): readonly PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** `execute` takes no parameters. */
function literal(value: unknown): string {
  if (value === null) return 'null'
  if (!Array.isArray(value)) return quoted(String(value))
  return quoted(`{${value.map((item) => (item === null ? 'null' : JSON.stringify(item))).join(',')}}`)
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
