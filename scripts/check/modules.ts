import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** An entry point and its maximum number of loaded modules. */
export interface ModuleBudget {
  /** The package name or path to import. */
  readonly entry: string
  readonly maxModules: number
  /** The packages that the entry must not load. */
  readonly without: readonly string[]
}

/** The budgets detect a package that loads all of core-audit. Type imports load neither a driver nor a token library. */
const budgets: readonly ModuleBudget[] = [
  { entry: 'feature-flags', maxModules: 47 },
  { entry: 'notes', maxModules: 140 },
  { entry: 'document-actions', maxModules: 158 },
  { entry: 'attachments', maxModules: 197 },
].map(({ entry, maxModules }) => ({
  entry: `./packages/${entry}/src/index.ts`,
  maxModules,
  without: ['jose', 'postgres'],
}))

/** An entry point and the URLs of its loaded modules, without Node's built-in modules. */
export interface LoadedModules {
  readonly budget: ModuleBudget
  readonly urls: readonly string[]
}

/** Imports each entry in a separate process, from the sources, and records the loaded modules. */
export function loadEntries(root: string, of: readonly ModuleBudget[] = budgets): Promise<LoadedModules[]> {
  return Promise.all(
    of.map(async (budget) => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--conditions=@vertical-kit/source', '--input-type=module', '--eval', recorder, budget.entry],
        { cwd: root, maxBuffer: 16 * 1024 * 1024 },
      )
      return { budget, urls: JSON.parse(stdout) as string[] }
    }),
  )
}

const recorder = `
  import { registerHooks } from 'node:module'
  import { resolve } from 'node:path'
  import { pathToFileURL } from 'node:url'
  const urls = []
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('node:')) urls.push(url)
      return next(url, context)
    },
  })
  await import(pathToFileURL(resolve(process.argv[1])).href)
  console.log(JSON.stringify(urls))`

/** Describes the number of loaded modules in one line per entry. */
export function describeModules(loaded: readonly LoadedModules[]): string[] {
  return loaded.map(({ budget, urls }) => `${urls.length} of ${budget.maxModules} modules: ${budget.entry}`)
}

/** Returns one line per exceeded budget or forbidden package. Returns an empty text if there are none. */
export function moduleFindings(loaded: readonly LoadedModules[]): string {
  return loaded
    .flatMap(({ budget, urls }) => [
      ...(urls.length > budget.maxModules
        ? [`${budget.entry} loads ${urls.length} modules; at most ${budget.maxModules} are allowed`]
        : []),
      ...budget.without
        .filter((name) => urls.some((url) => url.includes(`/node_modules/${name}/`)))
        .map((name) => `${budget.entry} loads ${name}; import only its types or use another entry point`),
    ])
    .join('\n')
}
