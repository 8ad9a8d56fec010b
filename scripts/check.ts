/**
 * The gate: `pnpm check` runs all steps, and `pnpm check rooms knip` runs only the steps `rooms` and `knip`.
 * All steps run even if one fails, so one run reports all findings. `pnpm test` runs the tests.
 */
import { fileURLToPath } from 'node:url'
import { changesetFindings } from './check/changesets.ts'
import { commitFindings } from './check/commits.ts'
import { formatFindings } from './check/finding.ts'
import { lockfileFindings } from './check/lockfile-platforms.ts'
import { describeModules, loadEntries, moduleFindings } from './check/modules.ts'
import { checkPacked } from './check/packed.ts'
import { roomsFindings } from './check/rooms/rooms.ts'
import { readSourceTree } from './check/rooms/source-tree.ts'
import { describeWeights, sizeFindings, weighBundles } from './check/size.ts'
import { commandStep, runSteps, type Step } from './check/steps.ts'
import { readProse, wordingFindings } from './check/wording.ts'
import { manifestFindings } from './manifest/generated-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The compiling steps. They run one after another, because they all write to `dist/`. */
const compiling: readonly Step[] = [
  commandStep({ name: 'types', title: 'types, including tests', command: 'tsc -b', root }),
  commandStep({
    name: 'packages',
    title: 'build and packed tarballs',
    command: 'turbo run build lint:package --continue --output-logs=errors-only',
    root,
  }),
]

/** The steps that only read files. They run in parallel with the compiling steps. */
const reading: readonly Step[] = [
  commandStep({ name: 'lint', title: 'format and lint', command: 'biome check --error-on-warnings .', root }),
  {
    name: 'rooms',
    title: 'floor plan',
    run: async () => formatFindings(roomsFindings(readSourceTree(root))),
  },
  commandStep({ name: 'knip', title: 'unused code', command: 'knip', root }),
  {
    name: 'examples',
    title: 'examples and snippets against packed tarballs',
    async run(print) {
      const { moduleCount, findings } = await checkPacked(root)
      print(`${moduleCount} modules`)
      return findings
    },
  },
  {
    name: 'size',
    title: 'bundle size of a page',
    async run(print) {
      const weights = await weighBundles(root)
      for (const line of describeWeights(weights)) print(line)
      return sizeFindings(weights)
    },
  },
  {
    name: 'modules',
    title: 'modules of an entry point',
    async run(print) {
      const loaded = await loadEntries(root)
      for (const line of describeModules(loaded)) print(line)
      return moduleFindings(loaded)
    },
  },
  {
    name: 'lockfile',
    title: 'binaries for every platform',
    run: async () => formatFindings(lockfileFindings(root)),
  },
  {
    name: 'manifest',
    title: 'manifest and reference of the elements',
    run: async () => formatFindings(manifestFindings(root)),
  },
  { name: 'changesets', title: 'changesets', run: async () => formatFindings(changesetFindings(root)) },
  {
    name: 'wording',
    title: 'plain English in comments, titles, texts and pages',
    run: async () => formatFindings(wordingFindings(readProse(root))),
  },
  {
    name: 'commits',
    title: 'subjects of new commits',
    run: async () => formatFindings(commitFindings(root)),
  },
]

const lanes = [compiling, reading]
const steps = lanes.flat()

const named = process.argv.slice(2)
const unknown = named.filter((name) => !steps.some((step) => step.name === name))
if (unknown.length > 0) {
  console.error(
    `check: unknown step ${unknown.join(', ')}; expected ${steps.map((step) => step.name).join(', ')}`,
  )
  process.exitCode = 2
} else {
  const failed = await runSteps(
    lanes.map((lane) => lane.filter((step) => named.length === 0 || named.includes(step.name))),
    console.log,
  )
  process.exitCode = failed.length === 0 ? 0 : 1
}
