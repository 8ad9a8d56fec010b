import type { Node } from 'oxc-parser'

/** Finds boolean parameters: at a call, a plain `true` or `false` does not show its meaning. */
export function booleanParameters(nodes: readonly Node[]): readonly Node[] {
  const setters = new Set(nodes.flatMap(setterOf))
  return nodes
    .filter((node) => !setters.has(node))
    .flatMap(parametersOf)
    .filter(isBoolean)
}

/** Returns the function of a setter. Setters are allowed, because `x.isOpen = true` is readable. */
function setterOf(node: Node): readonly Node[] {
  if (node.type === 'TSMethodSignature') return node.kind === 'set' ? [node] : []
  if (node.type !== 'MethodDefinition' && node.type !== 'Property') return []
  return node.kind === 'set' ? [node.value] : []
}

function parametersOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'TSDeclareFunction':
    case 'TSEmptyBodyFunctionExpression':
    case 'TSFunctionType':
    case 'TSMethodSignature':
    case 'TSCallSignatureDeclaration':
      return node.params
    default:
      return []
  }
}

/** Detects explicit boolean types, unions with boolean, and boolean defaults. Ignores types that TypeScript infers. */
function isBoolean(parameter: Node): boolean {
  if (parameter.type === 'AssignmentPattern')
    return isTruthValue(parameter.right) || isBoolean(parameter.left)
  return (
    parameter.type === 'Identifier' &&
    parameter.typeAnnotation !== null &&
    parameter.typeAnnotation !== undefined &&
    holdsBoolean(parameter.typeAnnotation.typeAnnotation)
  )
}

const holdsBoolean = (type: Node): boolean =>
  type.type === 'TSBooleanKeyword' || (type.type === 'TSUnionType' && type.types.some(holdsBoolean))

const isTruthValue = (node: Node): boolean => node.type === 'Literal' && typeof node.value === 'boolean'
