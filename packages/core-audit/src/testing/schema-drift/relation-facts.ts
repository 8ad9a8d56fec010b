/** The facts of one table or view: aspect (`column email`, `index notes_by_target`) → description in one line. */
export type RelationFacts = ReadonlyMap<string, string>

/** Names such as `notes.notes` → facts. */
export type SchemaFacts = ReadonlyMap<string, RelationFacts>

export interface ForeignKeyFact {
  readonly columns: readonly string[]
  readonly foreignTable: string
  readonly foreignColumns: readonly string[]
  readonly onDelete: string
  readonly onUpdate: string
}

const list = (columns: readonly string[]): string => `(${columns.join(', ')})`

/** Describes a foreign key identically for both sides. The name is left out: only the migration sets it. */
export function foreignKeyFact(key: ForeignKeyFact): readonly [aspect: string, description: string] {
  const { columns, foreignTable, foreignColumns, onDelete, onUpdate } = key
  return [
    `foreign key ${list(columns)}`,
    `${foreignTable} ${list(foreignColumns)}, on delete ${onDelete}, on update ${onUpdate}`,
  ]
}
