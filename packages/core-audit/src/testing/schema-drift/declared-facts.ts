import { is } from 'drizzle-orm/entity'
import {
  getMaterializedViewConfig,
  getTableConfig,
  getViewConfig,
  PgMaterializedView,
  PgTable,
  PgView,
} from 'drizzle-orm/pg-core'
import type postgres from 'postgres'
import { type TableConfig, tableDdl, viewDdl } from './declared-ddl.ts'
import { foreignKeyFact, type RelationFacts, type SchemaFacts } from './relation-facts.ts'
import { storedFacts } from './stored-facts.ts'

/** A table or view that a module declares. */
export interface DeclaredRelation {
  readonly schemaName: string
  readonly name: string
  readonly kind: 'table' | 'view' | 'materialized view'
  /** The statements that create the relation as a temporary table or view. */
  readonly ddl: string
  /** Foreign keys are compared without PostgreSQL, because temporary tables cannot reference other tables. */
  readonly foreignKeys: TableConfig['foreignKeys']
}

/** Returns the Drizzle tables and views among a module's exports. */
export function relationsOf(schemaModule: Readonly<Record<string, unknown>>): readonly DeclaredRelation[] {
  return Object.values(schemaModule)
    .map(relationOf)
    .filter((relation) => relation !== undefined)
}

function relationOf(value: unknown): DeclaredRelation | undefined {
  if (is(value, PgTable)) {
    const config = getTableConfig(value)
    return { ...nameOf(config), kind: 'table', ddl: tableDdl(config), foreignKeys: config.foreignKeys }
  }
  if (is(value, PgView)) {
    const config = getViewConfig(value)
    return { ...nameOf(config), kind: 'view', ddl: viewDdl(config), foreignKeys: [] }
  }
  if (is(value, PgMaterializedView)) {
    const config = getMaterializedViewConfig(value)
    return { ...nameOf(config), kind: 'materialized view', ddl: viewDdl(config), foreignKeys: [] }
  }
  return undefined
}

const nameOf = ({ schema, name }: { readonly schema: string | undefined; readonly name: string }) => ({
  schemaName: schema ?? 'public',
  name,
})

/**
 * Returns the facts of declared tables and views. Creates each relation temporarily, reads it like a stored relation, and
 * drops it.
 * @throws {Error} naming a table or view that PostgreSQL cannot create, with the server's error as its cause
 */
export async function declaredFacts(
  tx: postgres.ISql,
  relations: readonly DeclaredRelation[],
): Promise<SchemaFacts> {
  const facts = new Map<string, RelationFacts>()
  for (const relation of relations) {
    const name = `${relation.schemaName}.${relation.name}`
    facts.set(name, await readDeclared(tx, relation).catch(refused(name)))
  }
  return facts
}

async function readDeclared(tx: postgres.ISql, relation: DeclaredRelation): Promise<RelationFacts> {
  await tx.unsafe(relation.ddl)
  const [temporary] = await tx<{ name: string }[]>`select pg_my_temp_schema()::regnamespace::text as name`
  const [facts] = [...(await storedFacts(tx, [temporary?.name ?? ''])).values()]
  await tx.unsafe(
    `drop ${relation.kind === 'table' ? 'table' : 'view'} pg_temp.${JSON.stringify(relation.name)}`,
  )
  return new Map([
    ...(facts ?? []),
    ['kind', relation.kind] as const,
    ...relation.foreignKeys.map((foreignKey) => {
      const { columns, foreignColumns, foreignTable } = foreignKey.reference()
      const target = nameOf(getTableConfig(foreignTable))
      return foreignKeyFact({
        columns: columns.map((column) => column.name),
        foreignTable: `${target.schemaName}.${target.name}`,
        foreignColumns: foreignColumns.map((column) => column.name),
        onDelete: foreignKey.onDelete ?? 'no action',
        onUpdate: foreignKey.onUpdate ?? 'no action',
      })
    }),
  ])
}

const refused = (name: string) => (cause: unknown) => {
  throw new Error(`${name}: PostgreSQL rejects its declaration`, { cause })
}
