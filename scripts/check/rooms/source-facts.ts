import { type Node, parseSync, visitorKeys } from 'oxc-parser'
import { booleanParameters } from './boolean-parameters.ts'
import { undocumented } from './undocumented.ts'

/** One import, one re-export, one `import()` or one `import('…')` type. */
export interface ImportFact {
  specifier: string
  line: number
  /** True if the compiler removes the import, so the import loads nothing at run time. */
  isTypeOnly: boolean
}

/** The facts about one file that the rules need. The numbers are line numbers that start at 1. */
export interface SourceFacts {
  syntaxErrors: readonly string[]
  imports: readonly ImportFact[]
  /** The lines of `export * from` and `export * as … from`. */
  starExports: readonly number[]
  /** The lines of top-level statements, except imports and re-exports. */
  logic: readonly number[]
  environmentReads: readonly number[]
  sqlUses: readonly number[]
  clockReads: readonly number[]
  booleanParameters: readonly number[]
  /** The names of `export { … } from`. */
  reexports: readonly { name: string; specifier: string }[]
  /** The top-level declarations without a docstring. */
  undocumented: readonly { name: string; line: number }[]
}

/** Parses one file. After a syntax error, `syntaxErrors` is not empty and the other facts are incomplete. */
export function readSourceFacts(path: string, text: string): SourceFacts {
  const { program, comments, errors } = parseSync(path, text)
  const nodes = [...nodesOf(program)]
  const lineOf = lineCounter(text)
  const linesWhere = (among: readonly Node[], applies: (node: Node) => boolean) =>
    among.filter(applies).map(({ start }) => lineOf(start))
  return {
    syntaxErrors: errors.map(({ message }) => message),
    imports: nodes.flatMap((node) =>
      importsOf(node).map((found) => ({ ...found, line: lineOf(node.start) })),
    ),
    starExports: linesWhere(program.body, ({ type }) => type === 'ExportAllDeclaration'),
    logic: linesWhere(program.body, isLogic),
    environmentReads: linesWhere(nodes, readsEnvironment),
    sqlUses: linesWhere(nodes, usesSql),
    clockReads: linesWhere(nodes, readsClock),
    booleanParameters: booleanParameters(nodes).map(({ start }) => lineOf(start)),
    reexports: program.body.flatMap(reexportsOf),
    undocumented: undocumented({ program, comments, text }).map(({ name, start }) => ({
      name,
      line: lineOf(start),
    })),
  }
}

function* nodesOf(node: Node): Generator<Node> {
  yield node
  for (const key of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Record<string, unknown>)[key]
    for (const each of Array.isArray(child) ? child : [child]) {
      // Array holes, such as the first element of `[, second]`, are null.
      if (each !== null && each !== undefined) yield* nodesOf(each as Node)
    }
  }
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1
}

function importsOf(node: Node): { specifier: string; isTypeOnly: boolean }[] {
  switch (node.type) {
    case 'ImportDeclaration':
      return [{ specifier: node.source.value, isTypeOnly: node.importKind === 'type' }]
    case 'ExportAllDeclaration':
      return [{ specifier: node.source.value, isTypeOnly: node.exportKind === 'type' }]
    case 'ExportNamedDeclaration':
      return node.source ? [{ specifier: node.source.value, isTypeOnly: node.exportKind === 'type' }] : []
    case 'TSImportType':
      return [{ specifier: node.source.value, isTypeOnly: true }]
    case 'ImportExpression':
      return isText(node.source) ? [{ specifier: String(node.source.value), isTypeOnly: false }] : []
    default:
      return []
  }
}

function reexportsOf(statement: Node): { name: string; specifier: string }[] {
  if (statement.type !== 'ExportNamedDeclaration' || !statement.source) return []
  const specifier = statement.source.value
  return statement.specifiers.flatMap(({ local }) =>
    local.type === 'Identifier' ? [{ name: local.name, specifier }] : [],
  )
}

function isLogic(statement: Node): boolean {
  if (statement.type === 'ExportNamedDeclaration') return statement.declaration !== null
  return statement.type !== 'ImportDeclaration' && statement.type !== 'ExportAllDeclaration'
}

/** Detects `process.env`, `const { env } = process` and `import { env } from 'node:process'`. */
function readsEnvironment(node: Node): boolean {
  switch (node.type) {
    case 'MemberExpression':
      return isMember(node, 'process', 'env')
    case 'VariableDeclarator':
      return node.init !== null && isNamed(node.init, 'process') && takesEnvironment(node.id)
    case 'ImportDeclaration':
      return /^(node:)?process$/.test(node.source.value) && node.specifiers.some(importsEnvironment)
    default:
      return false
  }
}

function takesEnvironment(pattern: Node): boolean {
  if (pattern.type !== 'ObjectPattern') return false
  return pattern.properties.some((property) => property.type === 'Property' && isNamed(property.key, 'env'))
}

function importsEnvironment(specifier: Node): boolean {
  return specifier.type === 'ImportSpecifier' && isNamed(specifier.imported, 'env')
}

/** Detects sql`…` templates, also as a property such as tx.sql`…`, and every `.execute(…)`. */
function usesSql(node: Node): boolean {
  if (node.type === 'TaggedTemplateExpression') return lastNameOf(node.tag) === 'sql'
  return (
    node.type === 'CallExpression' &&
    node.callee.type === 'MemberExpression' &&
    lastNameOf(node.callee) === 'execute'
  )
}

/** Detects `Date.now()`, `Date()` and `new Date()`, but not the conversion `new Date(value)`. */
function readsClock(node: Node): boolean {
  if (node.type === 'NewExpression') return isNamed(node.callee, 'Date') && node.arguments.length === 0
  if (node.type !== 'CallExpression') return false
  return isMember(node.callee, 'Date', 'now') || isNamed(node.callee, 'Date')
}

function isNamed(node: Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name
}

function isMember(node: Node, object: string, property: string): boolean {
  return node.type === 'MemberExpression' && isNamed(node.object, object) && lastNameOf(node) === property
}

/** Returns the last name of an expression: `sql` for `sql`, `tx.sql` and `tx['sql']`. */
function lastNameOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name
  if (node.type !== 'MemberExpression') return undefined
  if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : undefined
  return isText(node.property) ? String(node.property.value) : undefined
}

function isText(node: Node): node is Extract<Node, { type: 'Literal' }> {
  return node.type === 'Literal' && typeof node.value === 'string'
}
