/** A statement in a few words: the operations and the tables, without values. */
export interface QuerySummary {
  /** The first operation, such as `SELECT`. */
  readonly operation: string
  /** All operations with their tables, such as `INSERT notes.notes INSERT core_audit.audit_events`. */
  readonly text: string
}

/** Comments, text literals and dollar-quoted text. They can contain words that look like operations. */
const skipped = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/g

/** An operation, or the start of a list of tables. A qualified name that follows is a table: the search path has none. */
const parts =
  /\b(select|insert\s+into|update|delete\s+from|merge\s+into|from|join|using)\b(?:\s+(?:only\s+)?("?[a-z_]\w*"?\."?[a-z_]\w*"?))?(\s*\()?/gi

/** The conventions limit a summary to 255 characters. */
const maxLength = 255

/** The number of statements whose summaries are kept. The kit has about 200; lists of rows add a few. */
const maxKnown = 1_000

const known = new Map<string, QuerySummary>()

/**
 * Returns the summary of a statement, from its text. The names of operations and tables come from the source, so a summary
 * contains no value and has few different values.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/db/database-spans/#generating-a-summary-of-the-query
 */
export function querySummary(statement: string): QuerySummary {
  const found = known.get(statement)
  if (found !== undefined) return found
  const summary = summarize(statement)
  if (known.size < maxKnown) known.set(statement, summary)
  return summary
}

function summarize(statement: string): QuerySummary {
  const text = statement.replaceAll(skipped, ' ')
  const operations: string[][] = []
  for (const [, keyword = '', name, call] of text.matchAll(parts)) {
    const verb = keyword.toUpperCase()
    const table = name?.replaceAll('"', '')
    if (verb === 'FROM' || verb === 'JOIN' || verb === 'USING') {
      // A name before a parenthesis is a function.
      if (table !== undefined && call === undefined) operations.at(-1)?.push(table)
    } else if (verb === 'SELECT') operations.push([verb])
    // `for update` and `do update` have no table.
    else if (table !== undefined) operations.push([verb.split(/\s/)[0] ?? verb, table])
  }
  const withTables = operations.filter(({ length }) => length > 1).map((one) => [...new Set(one)].join(' '))
  const [firstWord = 'UNKNOWN'] = /[a-z]+/i.exec(text) ?? []
  const operation = operations[0]?.[0] ?? firstWord.toUpperCase()
  if (withTables.length === 0) return { operation, text: operation }
  return { operation, text: shorten([...new Set(withTables)].join(' ')) }
}

function shorten(text: string): string {
  return text.length <= maxLength ? text : text.slice(0, text.lastIndexOf(' ', maxLength))
}
