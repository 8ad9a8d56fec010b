type Row = Record<string, unknown>

/** Rows as arrays of values, and the columns of their statement. */
type ValueRows = readonly (readonly unknown[])[] & { readonly columns: readonly { readonly name: string }[] }

/** The names of a statement's columns, and a row without values. */
interface Shape {
  readonly names: readonly string[]
  readonly empty: Row
}

/** The shapes of the prepared statements, by the list of columns that the driver keeps for each of them. */
const shapes = new WeakMap<object, Shape>()

/**
 * Converts rows of values to objects keyed by column name. The driver could do this, but it adds the columns to each object one
 * after the other. V8 stores an object with more than about 16 columns as a hash table then, which takes more than twice the
 * time and the memory. A copy of an object that has all names already keeps its compact form.
 */
export function toRows(rows: ValueRows): readonly Row[] {
  if (rows.length === 0) return []
  const { names, empty } = shapeOf(rows.columns)
  return rows.map((values) => {
    const row = { ...empty }
    names.forEach((name, index) => {
      row[name] = values[index]
    })
    return row
  })
}

function shapeOf(columns: ValueRows['columns']): Shape {
  const known = shapes.get(columns)
  if (known !== undefined) return known
  const names = columns.map(({ name }) => name)
  // `JSON.parse` creates the compact form for any number of names.
  const empty = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as Row
  const shape = { names, empty }
  shapes.set(columns, shape)
  return shape
}
