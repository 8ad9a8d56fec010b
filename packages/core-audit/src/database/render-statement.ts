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
 * Renders an `sql` template, with the same result as Drizzle's `toQuery`. It renders texts, nested templates and values itself, and
 * leaves all other parts to `toQuery`, which takes twice as long and allocates objects for each part.
 */
export function renderStatement(statement: SQL): RenderedStatement {
  const rendered: Rendered = { text: '', parameters: [] }
  append([statement], rendered)
  return rendered
}

interface Rendered {
  text: string
  readonly parameters: unknown[]
}

function append(chunks: readonly unknown[], rendered: Rendered): void {
  for (const chunk of chunks) {
    if (chunk instanceof StringChunk) {
      rendered.text += chunk.value.join('')
    } else if (chunk instanceof SQL && !chunk['shouldInlineParams']) {
      append(chunk.queryChunks, rendered)
    } else if (isPlain(chunk)) {
      appendParameter(chunk, rendered)
    } else if (isPlainParam(chunk)) {
      appendParameter(chunk.value, rendered)
    } else {
      appendOther(chunk as SQLChunk, rendered)
    }
  }
}

function appendParameter(value: unknown, rendered: Rendered): void {
  rendered.parameters.push(value)
  rendered.text += `$${rendered.parameters.length}`
}

function appendOther(chunk: SQLChunk, rendered: Rendered): void {
  const config = { ...notation, paramStartIndex: { value: rendered.parameters.length } }
  const { sql, params } = new SQL([chunk]).toQuery(config as never)
  rendered.text += sql
  rendered.parameters.push(...params)
}

const isPlain = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** A value of `sql.param` that Drizzle would not convert: a plain one, an array or bytes. */
const isPlainParam = (chunk: unknown): chunk is Param =>
  chunk instanceof Param &&
  chunk.encoder === noopEncoder &&
  (isPlain(chunk.value) || Array.isArray(chunk.value) || ArrayBuffer.isView(chunk.value))
