/** The facts of one table or view. The key is an aspect, such as `column email`; the value describes it in one line. */
export type RelationFacts = ReadonlyMap<string, string>

/** The facts of each table and view, indexed by a name such as `notes.notes`. */
export type SchemaFacts = ReadonlyMap<string, RelationFacts>

export interface ForeignKeyFact {
  readonly columns: readonly string[]
  readonly foreignTable: string
  readonly foreignColumns: readonly string[]
  readonly onDelete: string
  readonly onUpdate: string
}

const list = (columns: readonly string[]): string => `(${columns.join(', ')})`

/**
 * Describes a foreign key in a form that both sides share. The name is not included, because only the migration sets it.
 */
export function foreignKeyFact(key: ForeignKeyFact): readonly [aspect: string, description: string] {
  const { columns, foreignTable, foreignColumns, onDelete, onUpdate } = key
  return [
    `foreign key ${list(columns)}`,
    `${foreignTable} ${list(foreignColumns)}, on delete ${onDelete}, on update ${onUpdate}`,
  ]
}
