import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeModules, loadEntries, type ModuleBudget, moduleFindings } from '../modules.ts'

/** Writes these files to a folder and loads `entry.mjs` from it. */
async function load(files: Readonly<Record<string, string>>, budget: Partial<ModuleBudget> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'modules-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  return loadEntries(root, [{ entry: './entry.mjs', maxModules: 2, without: [], ...budget }])
}

const two = { 'entry.mjs': "import './other.mjs'; import 'node:fs'", 'other.mjs': '' }

test('the check counts the modules of an entry without built-in modules', async () => {
  const loaded = await load(two)
  expect(describeModules(loaded)).toEqual(['2 of 2 modules: ./entry.mjs'])
  expect(moduleFindings(loaded)).toBe('')
})

test('the check reports an entry that exceeds its budget', async () => {
  expect(moduleFindings(await load(two, { maxModules: 1 }))).toBe(
    './entry.mjs loads 2 modules; at most 1 are allowed',
  )
})

test('the check reports a forbidden package that is loaded', () => {
  const budget = { entry: './entry.mjs', maxModules: 9, without: ['jose', 'postgres'] }
  const urls = ['file:///x/node_modules/jose/dist/index.js', 'file:///x/node_modules/postgres-date/index.js']
  expect(moduleFindings([{ budget, urls }])).toBe(
    './entry.mjs loads jose; import only its types or use another entry point',
  )
})
