/** The only statement of a migration that runs outside a transaction. Names and texts are SQL, as written in the file. */
export interface IndexChange {
  /** The index with its schema, such as `shop.items_by_name`. */
  readonly index: string
  /** The table of a new index, with its schema; `null` if the statement drops the index. */
  readonly table: string | null
  /** The same statement without `concurrently`, for a rehearsal. */
  readonly blockingText: string
  /** The same new index on a temporary table, to learn its definition; `null` if the statement drops the index. */
  readonly probe: { readonly index: string; readonly table: string; readonly text: string } | null
}

/** Matches comments, literals, quoted names and semicolons, so that a semicolon in a literal does not end a statement. */
const tokens = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;/g

const name = String.raw`(?:[a-z_][\w$]*|"(?:[^"]|"")+")`
const creation = new RegExp(
  String.raw`^create\s+(unique\s+)?index\s+concurrently\s+(${name})\s+on\s+(${name})\.(${name})\s*(?=\(|using\b)`,
  'i',
)
const removal = new RegExp(String.raw`^drop\s+index\s+concurrently\s+if\s+exists\s+(${name}\.${name})$`, 'i')

/**
 * Returns the statement of a file that runs outside a transaction. Only statements that are safe to repeat after an
 * interruption at any moment are accepted.
 *
 * @throws {Error} if the file contains anything else than one such statement
 */
export function readIndexChange(file: string, sql: string): IndexChange {
  const [statement, ...more] = statementsOf(sql)
  if (statement === undefined || more.length > 0) {
    throw new Error(`${file} runs outside a transaction, so it must contain exactly one statement.`)
  }
  const change = creationOf(statement) ?? removalOf(statement)
  if (change !== null) return change
  throw new Error(
    `${file} runs outside a transaction, so its statement must be safe to repeat after an interruption: ` +
      '"create index concurrently name on schema.table …" or "drop index concurrently if exists schema.name".',
  )
}

/**
 * Returns the statements of a text without comments. A misread text is safe: the server rejects several statements, because
 * an index cannot be built concurrently among them, and the other texts are sent as one statement.
 */
function statementsOf(sql: string): readonly string[] {
  const withoutComments = sql.replaceAll(tokens, (token) => {
    if (token === ';') return '\0'
    return token.startsWith('--') || token.startsWith('/*') ? ' ' : token
  })
  return withoutComments
    .split('\0')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

function creationOf(statement: string): IndexChange | null {
  const [head, unique = '', index, schema, table] = creation.exec(statement) ?? []
  if (head === undefined || index === undefined || schema === undefined || table === undefined) return null
  const create = `create ${unique}index ${index} on`
  const rest = statement.slice(head.length)
  return {
    index: `${schema}.${index}`,
    table: `${schema}.${table}`,
    blockingText: `${create} ${schema}.${table} ${rest}`,
    probe: {
      index: `pg_temp.${index}`,
      table: `pg_temp.${table}`,
      text: `${create} pg_temp.${table} ${rest}`,
    },
  }
}

function removalOf(statement: string): IndexChange | null {
  const [, index] = removal.exec(statement) ?? []
  if (index === undefined) return null
  return { index, table: null, blockingText: `drop index if exists ${index}`, probe: null }
}
