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

const plannedOnce = new WeakSet<SQL>()

/**
 * Marks a statement whose best plan does not depend on its values, and returns it. PostgreSQL then plans it once for each
 * connection. It would otherwise plan it at each execution as long as the plan for the values seems cheaper than the general
 * plan, for example because a list has fewer than ten elements or because the limit is low. For a short statement, this
 * takes longer than the execution.
 *
 * Hides each value with a cast, such as `${id}::uuid`, from the planner: it becomes a subquery. Use this only for a statement
 * with a test of its general plan.
 *
 * @see https://www.postgresql.org/docs/current/sql-prepare.html#SQL-PREPARE-NOTES
 */
export function planOnce(statement: SQL): SQL {
  plannedOnce.add(statement)
  return statement
}

const castPattern = /^::\w+(?:\[\])?/

/**
 * Renders an `sql` template, with the same result as Drizzle's `toQuery`. It renders texts, nested templates and values itself, and
 * leaves all other parts to `toQuery`, which takes twice as long and allocates objects for each part.
 */
export function renderStatement(statement: SQL): RenderedStatement {
  const rendered: Rendered = { text: '', parameters: [], hidesValues: plannedOnce.has(statement) }
  append([statement], rendered)
  const { text, parameters } = rendered
  return { text, parameters }
}

interface Rendered {
  text: string
  /** Whether the statement is planned once. */
  readonly hidesValues: boolean
  readonly parameters: unknown[]
}

function append(chunks: readonly unknown[], rendered: Rendered): void {
  chunks.forEach((chunk, index) => {
    if (chunk instanceof StringChunk) {
      rendered.text += chunk.value.join('')
    } else if (chunk instanceof SQL && !chunk['shouldInlineParams']) {
      append(chunk.queryChunks, rendered)
    } else if (isPlain(chunk)) {
      appendParameter(chunk, rendered, chunks[index + 1])
    } else if (isPlainParam(chunk)) {
      appendParameter(chunk.value, rendered, chunks[index + 1])
    } else {
      appendOther(chunk as SQLChunk, rendered)
    }
  })
}

function appendParameter(value: unknown, rendered: Rendered, next: unknown): void {
  rendered.parameters.push(value)
  const name = `$${rendered.parameters.length}`
  const cast = rendered.hidesValues ? castIn(next) : undefined
  rendered.text += cast === undefined ? name : `(select ${name}${cast})`
}

/** Returns the cast at the start of the text that follows a parameter. */
const castIn = (next: unknown): string | undefined =>
  next instanceof StringChunk ? castPattern.exec(next.value.join(''))?.[0] : undefined

function appendOther(chunk: SQLChunk, rendered: Rendered): void {
  const config = { ...notation, paramStartIndex: { value: rendered.parameters.length } }
  const { sql, params } = new SQL([chunk]).toQuery(config as never)
  rendered.text += sql
  rendered.parameters.push(...params)
}

const isPlain = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  ArrayBuffer.isView(value)

/** A value of `sql.param` that Drizzle would not convert: a plain one or an array. */
const isPlainParam = (chunk: unknown): chunk is Param =>
  chunk instanceof Param &&
  chunk.encoder === noopEncoder &&
  (isPlain(chunk.value) || Array.isArray(chunk.value))
