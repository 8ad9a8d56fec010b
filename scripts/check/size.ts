import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/** What a page loads of a package: everything these entries export, bundled and minified as a page's build does. */
export interface Bundle {
  name: string
  /** Sources whose every export counts, from the repository's root. */
  entries: readonly string[]
  /** What is loaded on demand and counted apart. */
  external: readonly string[]
  maxGzipBytes: number
}

const client = 'packages/ui-client/src'
// Loaded by pages that listen for changes, and not before they do.
const onDemand = ['@microsoft/signalr']

/** What a vertical's page may be asked to load. Dependencies count. */
const bundles: readonly Bundle[] = [
  {
    name: 'client and stores',
    entries: [`${client}/index.ts`, `${client}/stores/index.ts`],
    external: onDemand,
    maxGzipBytes: 12 * 1024,
  },
  {
    name: 'all elements, with their stores and Lit',
    entries: [`${client}/elements/index.ts`],
    external: onDemand,
    maxGzipBytes: 40 * 1024,
  },
]

/** A bundle and what it weighs. */
export interface Weight {
  bundle: Bundle
  gzipBytes: number
}

/** Builds each bundle in memory and weighs it. */
export async function weighBundles(root: string, of: readonly Bundle[] = bundles): Promise<Weight[]> {
  return Promise.all(of.map(async (bundle) => ({ bundle, gzipBytes: await weigh(root, bundle) })))
}

/** The figures, one line each. */
export function describeWeights(weights: readonly Weight[]): string[] {
  return weights.map(
    ({ bundle, gzipBytes }) =>
      `${inKilobytes(gzipBytes)} of ${inKilobytes(bundle.maxGzipBytes)} gzipped: ${bundle.name}`,
  )
}

/** What is heavier than it may be, one line each; empty when nothing is. */
export function sizeFindings(weights: readonly Weight[]): string {
  return weights
    .filter(({ bundle, gzipBytes }) => gzipBytes > bundle.maxGzipBytes)
    .map(
      ({ bundle, gzipBytes }) => `${bundle.name}: ${gzipBytes - bundle.maxGzipBytes} bytes more than allowed`,
    )
    .join('\n')
}

async function weigh(root: string, { entries, external }: Bundle): Promise<number> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2024',
      // As a library: nothing is dropped that is exported, and none of the bundler's own helpers are counted.
      lib: { entry: entries.map((path) => join(root, path)), formats: ['es'] },
      rolldownOptions: { external: [...external], output: { minify: true } },
    },
  })
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) =>
    'output' in one ? one.output : [],
  )
  const code = outputs.map((file) => (file.type === 'chunk' ? file.code : '')).join('')
  return gzipSync(code, { level: 9 }).length
}

const inKilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`
