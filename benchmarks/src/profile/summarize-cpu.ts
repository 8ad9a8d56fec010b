import type { Hotspot } from '../report/results.ts'

/** The part of a CPU profile of V8 that the summary reads. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples?: readonly number[]
  /** The microseconds before each sample. */
  readonly timeDeltas?: readonly number[]
}

/** Time in which the process waits is no cost of a request. */
const idle = new Set(['(idle)', '(program)'])

/** Returns the own time of packages and functions per request, the most expensive first. Waiting is left out. */
export function summarizeCpu(
  { nodes, samples = [], timeDeltas = [] }: CpuProfile,
  requests: number,
): { readonly packages: readonly Hotspot[]; readonly functions: readonly Hotspot[] } {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const packages = new Map<string, number>()
  const functions = new Map<string, number>()
  let busy = 0
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id)
    // The profiler itself is left out, too.
    if (frame === undefined || idle.has(frame.functionName) || frame.url === 'node:inspector') continue
    const spent = timeDeltas[index] ?? 0
    busy += spent
    const owner = packageOf(frame)
    add(packages, owner, spent)
    add(
      functions,
      `${frame.functionName === '' ? 'anonymous' : frame.functionName} (${placeOf(frame, owner)})`,
      spent,
    )
  }
  const ranked = (times: ReadonlyMap<string, number>): readonly Hotspot[] =>
    [...times]
      .sort(([, one], [, other]) => other - one)
      .slice(0, 15)
      .map(([name, spent]) => ({ name, share: spent / busy, microseconds: spent / requests }))
  return { packages: ranked(packages), functions: ranked(functions) }
}

const add = (times: Map<string, number>, name: string, spent: number): unknown =>
  times.set(name, (times.get(name) ?? 0) + spent)

type Frame = CpuProfile['nodes'][number]['callFrame']

/** Returns the package of a function: an installed package, a package of the workspace, Node, or V8. */
function packageOf({ url, functionName }: Frame): string {
  if (functionName === '(garbage collector)') return 'garbage collector'
  if (url.startsWith('node:')) return 'node'
  if (url === '') return 'native code'
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  return installed ?? /\/(?:packages|apps)\/([^/]+)\//.exec(url)?.[1] ?? 'other'
}

function placeOf({ url, lineNumber }: Frame, owner: string): string {
  if (url === '') return owner
  const file = url.split('/').at(-1) ?? url
  return url.startsWith('node:') ? url : `${owner} ${file}:${lineNumber + 1}`
}
