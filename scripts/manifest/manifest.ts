import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { create, ts } from '@custom-elements-manifest/analyzer'
import { litPlugin } from '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js'
import type { Finding } from '../check/finding.ts'
import { type Modules, templateNames } from './template-names.ts'

/** The Custom Elements Manifest, as far as we use it. See <https://github.com/webcomponents/custom-elements-manifest>. */
export interface Manifest {
  readonly schemaVersion: string
  readonly readme: string
  readonly modules: readonly Module[]
}

export interface Module {
  readonly kind: 'javascript-module'
  readonly path: string
  readonly declarations: readonly Declaration[]
  readonly exports: readonly object[]
}

/** Something with a name and a description, such as a slot or a part. */
export interface Named {
  readonly name: string
  readonly description?: string
  readonly type?: { readonly text: string }
}

export interface Member extends Named {
  readonly kind: 'field' | 'method'
  readonly privacy?: 'public' | 'protected' | 'private'
  readonly static?: boolean
  readonly attribute?: string
  readonly default?: string
}

export interface Declaration {
  readonly kind: string
  readonly name: string
  readonly description?: string
  readonly tagName?: string
  readonly superclass?: object
  readonly attributes?: readonly Named[]
  readonly members?: readonly Member[]
  readonly events?: readonly Named[]
  readonly slots?: readonly Named[]
  readonly cssParts?: readonly Named[]
  readonly cssProperties?: readonly Named[]
}

/** An element of the manifest. All lists are complete, and sorted by name. */
export type Element = Required<Omit<Declaration, 'superclass'>>

/** The folder of the package with the elements. */
export const packageFolder = 'packages/ui-client'

/** The name of a member that the base class has only for its subclasses. */
const forSubclasses = 'store'

/** Reads the sources of the elements. The paths are relative to the package. */
export function readModules(root: string): Modules {
  const folder = join(root, packageFolder)
  const paths = globSync('src/elements/**/*.ts', { cwd: folder }).map((path) => path.replaceAll(sep, '/'))
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** Returns the manifest of the public elements: classes with the tag `@tag`. It contains only public members. */
export function manifestOf(modules: Modules): Manifest {
  const sources = [...modules].map(([path, text]) =>
    ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true),
  )
  const { schemaVersion, modules: all } = create({ modules: sources, plugins: litPlugin() })
  return {
    schemaVersion,
    readme: 'README.md',
    modules: all.flatMap(({ path, declarations }) => {
      const elements = declarations.filter(({ tagName }) => tagName !== undefined)
      return elements.length === 0 ? [] : [moduleOf(path, elements.map(publicElement))]
    }),
  }
}

/** Returns the elements of a manifest by their tags. */
export const elementsOf = ({ modules }: Manifest): ReadonlyMap<string, Element> =>
  new Map(
    modules
      .flatMap(({ declarations }) => declarations as readonly Element[])
      .map((element): [string, Element] => [element.tagName, element])
      .toSorted(([one], [other]) => one.localeCompare(other)),
  )

/** Compares the parts and slots of each docstring with its templates. */
export function undocumentedNames(modules: Modules): readonly Finding[] {
  return manifestOf(modules).modules.flatMap(({ path, declarations }) => {
    const source = path.replace(/^dist/, 'src').replace(/js$/, 'ts')
    const { parts, slots } = templateNames(modules, source)
    return (declarations as readonly Element[]).flatMap(({ cssParts, slots: documented }) => [
      ...differences(source, '@csspart', { used: parts, documented: cssParts }),
      ...differences(source, '@slot', { used: slots, documented }),
    ])
  })
}

function differences(
  path: string,
  tag: string,
  { used, documented }: { readonly used: ReadonlySet<string>; readonly documented: readonly Named[] },
): readonly Finding[] {
  const names = new Set(documented.map(({ name }) => name))
  return [
    ...[...used]
      .filter((name) => !names.has(name))
      .map((name) => ({
        path,
        message: `the docstring has no \`${tag} ${name}\``,
      })),
    ...[...names]
      .filter((name) => !used.has(name))
      .map((name) => ({
        path,
        message: `no template contains \`${tag} ${name}\``,
      })),
  ]
}

const moduleOf = (source: string, declarations: readonly Declaration[]): Module => {
  const path = source.replace(/^src/, 'dist').replace(/ts$/, 'js')
  return {
    kind: 'javascript-module',
    path,
    declarations,
    exports: declarations.flatMap(({ name, tagName }) => [
      { kind: 'js', name, declaration: { name, module: path } },
      { kind: 'custom-element-definition', name: tagName, declaration: { name, module: path } },
    ]),
  }
}

function publicElement(element: Declaration): Declaration {
  const isPublic = ({ name, privacy = 'public', static: isStatic = false }: Member) =>
    privacy === 'public' && !isStatic && name !== forSubclasses && !name.startsWith('#')
  const { kind, name, tagName = '', description = '' } = element
  return {
    kind,
    ...{ customElement: true },
    name,
    tagName,
    description: oneLine(description),
    superclass: { name: 'LitElement', package: 'lit' },
    attributes: sorted(element.attributes),
    members: sorted(element.members?.filter(isPublic)),
    events: sorted(element.events?.filter((event) => event.name.startsWith('vk-'))),
    slots: sorted(element.slots),
    cssParts: sorted(element.cssParts),
    cssProperties: sorted(element.cssProperties),
  }
}

/** The base class is not in the manifest, so nothing refers to it. */
const sorted = <T extends Named>(items: readonly T[] | undefined): readonly T[] =>
  (items ?? [])
    .map((item) => ({ ...item, inheritedFrom: undefined, description: oneLine(item.description) }))
    .toSorted((one, other) => one.name.localeCompare(other.name))

const oneLine = (text = ''): string => text.replace(/(?<!\n)\n(?!\n)/g, ' ')
