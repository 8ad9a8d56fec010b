/** What is known of one table: aspect (`column email`, `index notes_by_target`) → its description in one line. */
export type TableFacts = ReadonlyMap<string, string>

/** `notes.notes` → its facts. */
export type SchemaFacts = ReadonlyMap<string, TableFacts>

export interface ColumnFact {
  readonly type: string
  readonly isNullable: boolean
  readonly hasDefault: boolean
}

export interface IndexFact {
  readonly isUnique: boolean
  readonly method: string
  /** In order; a descending one with ` desc` behind it. */
  readonly columns: readonly string[]
  readonly isPartial: boolean
}

export interface ForeignKeyFact {
  readonly table: string
  readonly columns: readonly string[]
  readonly onDelete: string
  readonly onUpdate: string
}

const list = (columns: readonly string[]): string => `(${columns.join(', ')})`

/** Collects the facts of one table in the words that both sides are compared in. */
export function createTableFacts() {
  const facts = new Map<string, string>()
  return {
    facts: facts as TableFacts,
    column(name: string, { type, isNullable, hasDefault }: ColumnFact): void {
      facts.set(
        `column ${name}`,
        `${type}, ${isNullable ? 'null' : 'not null'}, ${hasDefault ? 'with a default' : 'without a default'}`,
      )
    },
    primaryKey(columns: readonly string[]): void {
      facts.set('primary key', list(columns))
    },
    unique(name: string, columns: readonly string[]): void {
      facts.set(`unique constraint ${name}`, list(columns))
    },
    index(name: string, { isUnique, method, columns, isPartial }: IndexFact): void {
      facts.set(
        `index ${name}`,
        `${isUnique ? 'unique ' : ''}${method} ${list(columns)}${isPartial ? ', partial' : ''}`,
      )
    },
    foreignKey(columns: readonly string[], target: ForeignKeyFact): void {
      facts.set(
        `foreign key ${list(columns)}`,
        `${target.table} ${list(target.columns)}, on delete ${target.onDelete}, on update ${target.onUpdate}`,
      )
    },
  }
}
