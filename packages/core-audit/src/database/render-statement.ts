import { noopEncoder, Param, SQL, type SQLChunk, StringChunk } from 'drizzle-orm/sql'

/** The text of a statement with numbered parameters, and their values. */
export interface RenderedStatement {
  readonly text: string
  readonly parameters: readonly unknown[]
}

/** The rules with which Drizzle renders names and parameters of PostgreSQL. */
const notation = {
  escapeName: (name: string) => `"${name.replaceAll('"', '""')}"`,
  escapeParam: (index: number) => `$${index + 1}`,
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
  casing: { getColumnCasing: ({ name }: { name: string }) => name },
}

/**
 * Renders an `sql` template, with the same result as Drizzle's `toQuery`. It renders texts, nested templates and plain values
 * itself, and leaves all other parts to `toQuery`, which takes several times as long and allocates objects for each part.
 */
export function renderStatement(statement: SQL): RenderedStatement {
  const rendered = { text: '', parameters: [] }
  append([statement], rendered)
  return rendered
}

function append(
  chunks: readonly unknown[],
  rendered: { text: string; readonly parameters: unknown[] },
): void {
  const { parameters } = rendered
  for (const chunk of chunks) {
    const value = chunk instanceof Param && chunk.encoder === noopEncoder ? chunk.value : chunk
    if (chunk instanceof StringChunk) {
      rendered.text += chunk.value.join('')
    } else if (chunk instanceof SQL && !chunk['shouldInlineParams']) {
      append(chunk.queryChunks, rendered)
    } else if (isPlain(value) || (value !== chunk && isList(value))) {
      parameters.push(value)
      rendered.text += `$${parameters.length}`
    } else {
      const config = { ...notation, paramStartIndex: { value: parameters.length } }
      const { sql, params } = new SQL([chunk as SQLChunk]).toQuery(config as never)
      rendered.text += sql
      parameters.push(...params)
    }
  }
}

const isPlain = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** An array or bytes. Only `sql.param` makes one parameter of an array. */
const isList = (value: unknown): boolean => Array.isArray(value) || ArrayBuffer.isView(value)
