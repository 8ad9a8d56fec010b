import type { Comment, Node, Program } from 'oxc-parser'

/** The parts of a parsed file that the search for docstrings reads. */
interface Parsed {
  readonly program: Program
  readonly comments: readonly Comment[]
  readonly text: string
}

interface Declared {
  readonly name: string
  readonly start: number
  readonly isDocumented: boolean
}

/**
 * Returns the declarations of a file that have no docstring, with their offsets. One docstring is enough for a schema and its
 * type, and for a list and the type of its elements (`typeof list`).
 */
export function undocumented({ program, comments, text }: Parsed): readonly Declared[] {
  const docstrings = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  const declared = program.body.flatMap((statement) => {
    const isDocumented = docstrings.some(
      ({ end }) => end <= statement.start && text.slice(end, statement.start).trim() === '',
    )
    return namesOf(statement).map((name) => ({ name, start: statement.start, isDocumented, statement }))
  })
  const documented = new Set(declared.filter(({ isDocumented }) => isDocumented).map(({ name }) => name))
  const derivesFromDocumented = ({ start, end }: Node) => {
    const [, source = ''] = /^export type [^{]*\btypeof (\w+)/.exec(text.slice(start, end)) ?? []
    return documented.has(source)
  }
  return declared.filter(({ name, statement }) => !documented.has(name) && !derivesFromDocumented(statement))
}

function namesOf(statement: Node): readonly string[] {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declaration === null) return []
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => nameOf(id))
  return 'id' in declaration ? nameOf(declaration.id as Node | null) : []
}

const nameOf = (id: Node | null): readonly string[] => (id?.type === 'Identifier' ? [id.name] : [])
