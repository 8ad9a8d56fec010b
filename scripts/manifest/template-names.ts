import { dirname, join } from 'node:path/posix'

/** The text of each module, by its path. */
export type Modules = ReadonlyMap<string, string>

/** The names of the parts and slots that the templates of an element contain. */
export interface TemplateNames {
  readonly parts: ReadonlySet<string>
  readonly slots: ReadonlySet<string>
}

/** Modules that add nothing to the element: its base class adds `link`, but only if the element calls `linkTo`. */
const ignored = /\/(store-element|texts|theme)\.ts$/

/** Returns the parts and slots in the templates of a module, and of the functions that it imports. */
export function templateNames(modules: Modules, path: string): TemplateNames {
  const text = [...importsOf(modules, path, new Set())].map((one) => modules.get(one) ?? '').join('\n')
  return {
    parts: new Set([...partsIn(text), ...(text.includes('this.linkTo(') ? ['link'] : [])]),
    slots: new Set([...text.matchAll(/<slot name="([\w-]+)"/g)].flatMap(([, name]) => name ?? [])),
  }
}

/** Returns the module and everything that it imports as a value or on demand, without the classes of other elements. */
function importsOf(modules: Modules, path: string, found: Set<string>): Set<string> {
  if (found.has(path) || !modules.has(path) || ignored.test(path)) return found
  found.add(path)
  const text = modules.get(path) ?? ''
  const statements = text.matchAll(/^(?:im|ex)port (?!type )[^']*? from '(\.[^']+)'$/gm)
  const onDemand = text.matchAll(/\bimport\('(\.[^']+)'\)/g)
  for (const [, to = ''] of [...statements, ...onDemand]) importsOf(modules, join(dirname(path), to), found)
  return found
}

const attribute = /(?<![\w-])(?:export)?parts?=(?:"((?:\$\{[^}]*\}|[^"])*)"|(\$\{[^}]*\}))/g
const constant = /^(?:export )?const (part\w*|\w+Parts) = (.*)$/gm

/** Returns the names in the attributes `part` and `exportparts`, and in the constants and conditions that they contain. */
function partsIn(text: string): readonly string[] {
  const constants = new Map([...text.matchAll(constant)].map(([, name = '', value = '']) => [name, value]))
  const namesOf = (value: string): readonly string[] => {
    const fixed = value.replace(/\$\{[^}]*\}/g, ' ')
    const expressions = [...value.matchAll(/\$\{([^}]*)\}/g)].map(([, expression = '']) => expression)
    const inner = expressions.flatMap((expression) => {
      const value = constants.get(/^\w+/.exec(expression)?.[0] ?? '')
      // A text that is compared is not a name.
      const source = (value ?? expression).replace(/[!=]== '[^']*'/g, '')
      const quoted = [...source.matchAll(/(['`])(.*?)\1/g)].map(([, , name = '']) => name)
      return quoted.flatMap(namesOf)
    })
    return [...fixed.split(/[\s,]+/).filter((name) => name !== ''), ...inner]
  }
  return [...text.matchAll(attribute)].flatMap(([, quoted, expression]) =>
    namesOf(quoted ?? expression ?? ''),
  )
}
