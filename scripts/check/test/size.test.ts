import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Bundle, describeWeights, sizeFindings, weighBundles } from '../size.ts'

/** Writes these files to a folder. Returns the folder and a bundle with the entry `entry.ts`. */
function bundleOf(files: Readonly<Record<string, string>>): { root: string; bundle: Bundle } {
  const root = mkdtempSync(join(tmpdir(), 'size-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  return { root, bundle: { name: 'entry', entries: ['entry.ts'], maxGzipBytes: 100 } }
}

const weigh = async (files: Readonly<Record<string, string>>) => {
  const { root, bundle } = bundleOf(files)
  const [weight] = await weighBundles(root, [bundle])
  return weight ?? { gzipBytes: 0, onDemandGzipBytes: 0 }
}

const weightOf = async (files: Readonly<Record<string, string>>) => (await weigh(files)).gzipBytes

const random = Array.from({ length: 400 }, (_, index) => ((index * 7919) % 9973).toString(36)).join('')

test('the check measures all exports of an entry with their imports, minified', async () => {
  const lightest = await weightOf({ 'entry.ts': 'export const a = 1' })
  expect(await weightOf({ 'entry.ts': `// ${random}\nexport const a: number = 1` })).toBe(lightest)
  const imported = {
    'entry.ts': "export { text } from './text.ts'",
    'text.ts': `export const text = '${random}'`,
  }
  expect(await weightOf(imported)).toBeGreaterThan(lightest + 400)
})

test('modules that are loaded on demand count separately, unless an entry also imports them', async () => {
  const files = {
    'entry.ts': "export const load = () => import('./text.ts')",
    'text.ts': `export const text = '${random}'`,
  }
  const { gzipBytes, onDemandGzipBytes } = await weigh(files)
  expect(gzipBytes).toBeLessThan(200)
  expect(onDemandGzipBytes).toBeGreaterThan(400)
  const imported = { ...files, 'entry.ts': `${files['entry.ts']}\nexport { text } from './text.ts'` }
  expect(await weightOf(imported)).toBeGreaterThan(400)
})

test('the check reports a bundle above its limit, but not a bundle at its limit', () => {
  const { bundle } = bundleOf({})
  const weight = (gzipBytes: number) => [{ bundle, gzipBytes, onDemandGzipBytes: 2_048 }]
  expect(sizeFindings(weight(100))).toBe('')
  expect(sizeFindings(weight(107))).toBe('entry: 7 bytes over the limit')
  expect(describeWeights(weight(107))).toEqual(['0.1 KiB of 0.1 KiB gzipped, and 2.0 KiB on demand: entry'])
})
