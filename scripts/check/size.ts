import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'vite'
import { unindentTemplates } from '../unindent-templates.ts'

/**
 * A bundle of a page. It contains all exports of these entries, minified as in a page's build. Chunks that a page loads on demand
 * are measured, but have no limit: a page shows its first content without them (docs/decisions/0044-parts-on-demand.md).
 */
export interface Bundle {
  name: string
  /** The source files of the bundle, relative to the repository root. All exports of these files count. */
  entries: readonly string[]
  maxGzipBytes: number
}

const client = 'packages/ui-client/src'

/** The size limits of a vertical's page, including dependencies. */
const bundles: readonly Bundle[] = [
  {
    name: 'client and stores',
    entries: [`${client}/index.ts`, `${client}/stores/index.ts`],
    maxGzipBytes: 16 * 1024,
  },
  {
    name: 'all elements, with their stores and Lit',
    entries: [`${client}/elements/index.ts`],
    maxGzipBytes: 60 * 1024,
  },
  ...Object.entries({
    administration: 24.7,
    attachments: 24.1,
    'audit-timeline': 18.1,
    'document-actions': 19.7,
    feedback: 12,
    'live-object': 13.4,
    notes: 19.2,
    preferences: 12.9,
    team: 20.5,
    'work-center': 31.4,
  }).map(([room, kilobytes]) => ({
    name: `/elements/${room}, with its stores and Lit`,
    entries: [`${client}/elements/${room}/index.ts`],
    maxGzipBytes: Math.ceil(kilobytes * 1024),
  })),
]

/** A bundle and its size, with the size of all chunks that a page loads on demand. */
export interface Weight {
  bundle: Bundle
  gzipBytes: number
  onDemandGzipBytes: number
}

/** Builds each bundle in memory and measures it. */
export async function weighBundles(root: string, of: readonly Bundle[] = bundles): Promise<Weight[]> {
  return Promise.all(of.map(async (bundle) => ({ bundle, ...(await weigh(root, bundle)) })))
}

/** Describes the sizes in one line per bundle. */
export function describeWeights(weights: readonly Weight[]): string[] {
  return weights.map(
    ({ bundle, gzipBytes, onDemandGzipBytes }) =>
      `${inKilobytes(gzipBytes)} of ${inKilobytes(bundle.maxGzipBytes)} gzipped, and ${inKilobytes(onDemandGzipBytes)} on demand: ${bundle.name}`,
  )
}

/** Returns one line per bundle above its limit. Returns an empty text if no bundle is above its limit. */
export function sizeFindings(weights: readonly Weight[]): string {
  return weights
    .filter(({ bundle, gzipBytes }) => gzipBytes > bundle.maxGzipBytes)
    .map(({ bundle, gzipBytes }) => `${bundle.name}: ${gzipBytes - bundle.maxGzipBytes} bytes over the limit`)
    .join('\n')
}

/** Changes our sources as the build of their package does. */
const asPublished: Plugin = {
  name: 'as-published',
  enforce: 'post',
  transform: (code, id) => (id.includes('node_modules') ? undefined : { code: unindentTemplates(code) }),
}

async function weigh(root: string, { entries }: Bundle): Promise<Omit<Weight, 'bundle'>> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [asPublished],
    build: {
      write: false,
      target: 'es2024',
      // Library mode keeps all exports and adds no helper code.
      lib: { entry: entries.map((path) => join(root, path)), formats: ['es'] },
      rolldownOptions: { output: { minify: true } },
    },
  })
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) =>
    'output' in one ? one.output : [],
  )
  const chunks = new Map(outputs.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])))
  // A set grows while it is iterated, so this follows the static imports to their end.
  const names = new Set([...chunks.values()].flatMap(({ isEntry, fileName }) => (isEntry ? [fileName] : [])))
  for (const name of names) for (const imported of chunks.get(name)?.imports ?? []) names.add(imported)
  const gzipBytes = gzipped([...names].map((name) => chunks.get(name)?.code ?? '').join(''))
  const onDemand = [...chunks].filter(([name]) => !names.has(name))
  return { gzipBytes, onDemandGzipBytes: onDemand.reduce((bytes, [, { code }]) => bytes + gzipped(code), 0) }
}

const gzipped = (code: string): number => gzipSync(code, { level: 9 }).length

const inKilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`
