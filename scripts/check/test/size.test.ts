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

const weightOf = async (files: Readonly<Record<string, string>>) => {
  const { root, bundle } = bundleOf(files)
  return (await weighBundles(root, [bundle]))[0]?.gzipBytes ?? 0
}

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

test('modules that are loaded on demand do not count, unless an entry also imports them', async () => {
  const files = {
    'entry.ts': "export const load = () => import('./text.ts')",
    'text.ts': `export const text = '${random}'`,
  }
  expect(await weightOf(files)).toBeLessThan(200)
  const imported = { ...files, 'entry.ts': `${files['entry.ts']}\nexport { text } from './text.ts'` }
  expect(await weightOf(imported)).toBeGreaterThan(400)
})

test('the check reports a bundle above its limit, but not a bundle at its limit', () => {
  const { bundle } = bundleOf({})
  expect(sizeFindings([{ bundle, gzipBytes: 100 }])).toBe('')
  expect(sizeFindings([{ bundle, gzipBytes: 107 }])).toBe('entry: 7 bytes over the limit')
  expect(describeWeights([{ bundle, gzipBytes: 107 }])).toEqual(['0.1 KiB of 0.1 KiB gzipped: entry'])
})
