import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** An entry point and the most modules that importing it may load. */
export interface ModuleBudget {
  /** What is imported: a package's name, or a path. */
  readonly entry: string
  readonly maxModules: number
  /** Packages that it must not load. */
  readonly without: readonly string[]
}

/** Loading one package must not load the whole kernel: neither a driver nor a token library comes with a type. */
const budgets: readonly ModuleBudget[] = [
  { entry: 'feature-flags', maxModules: 45 },
  { entry: 'notes', maxModules: 110 },
  { entry: 'document-actions', maxModules: 125 },
  { entry: 'attachments', maxModules: 170 },
].map(({ entry, maxModules }) => ({
  entry: `./packages/${entry}/src/index.ts`,
  maxModules,
  without: ['jose', 'postgres'],
}))

/** An entry point and the modules, by URL, that importing it loaded; Node's own do not count. */
export interface LoadedModules {
  readonly budget: ModuleBudget
  readonly urls: readonly string[]
}

/** Imports each entry in a process of its own, from the sources, and records what it loads. */
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

/** The figures, one line each. */
export function describeModules(loaded: readonly LoadedModules[]): string[] {
  return loaded.map(({ budget, urls }) => `${urls.length} of ${budget.maxModules} modules: ${budget.entry}`)
}

/** What exceeds a budget, one line each; empty when nothing does. */
export function moduleFindings(loaded: readonly LoadedModules[]): string {
  return loaded
    .flatMap(({ budget, urls }) => [
      ...(urls.length > budget.maxModules
        ? [`${budget.entry} loads ${urls.length} modules; at most ${budget.maxModules} are allowed`]
        : []),
      ...budget.without
        .filter((name) => urls.some((url) => url.includes(`/node_modules/${name}/`)))
        .map((name) => `${budget.entry} loads ${name}; import it as a type, or from another entry point`),
    ])
    .join('\n')
}
