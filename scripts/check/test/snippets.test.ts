import { expect, test } from 'vitest'
import { modulesOf, quotationsOf } from '../snippets.ts'

const page = (...lines: readonly string[]): string => lines.join('\n')

test('a block with an import is a module and keeps its line numbers', () => {
  const text = page('# Page', '', '```ts', "import 'a'", '```', '', '```ts', 'part()', '```', '')
  expect(modulesOf(text)).toEqual([{ name: 'line-3.ts', line: 3, text: "\n\n\nimport 'a'\n" }])
})

test('modulesOf ignores blocks without an import and blocks in other languages', () => {
  const text = page('```ts', 'part()', '```', '```js', "import 'b'", '```', '')
  expect(modulesOf(text)).toEqual([])
})

test('a module can contain JSX', () => {
  const text = page('```tsx', "import 'a'", '```', '')
  expect(modulesOf(text)).toEqual([{ name: 'line-1.tsx', line: 1, text: "\nimport 'a'\n" }])
})

test('a block inside a comment is a module', () => {
  const text = page('<!--', '```ts', '// trade.ts', "import 'a'", '```', '-->', '')
  expect(modulesOf(text)).toEqual([{ name: 'trade.ts', line: 2, text: "\n\n// trade.ts\nimport 'a'\n" }])
})

test('the first line of a block can contain its file name', () => {
  const text = page('```ts', '// schema.ts', "import 'a'", '```', '')
  expect(modulesOf(text)).toEqual([{ name: 'schema.ts', line: 1, text: "\n// schema.ts\nimport 'a'\n" }])
})

test('a preamble becomes part of the block below it', () => {
  const text = page('<!-- preamble', "import type { Tx } from 'a'", '-->', '', '```ts', 'use(tx)', '```', '')
  expect(modulesOf(text)).toEqual([
    { name: 'line-5.ts', line: 5, text: "\nimport type { Tx } from 'a'\n\n\n\nuse(tx)\n" },
  ])
})

test('a quotation contains the name of its file', () => {
  const text = page('<!-- from examples/a.ts -->', '```ts', 'part()', '```', '')
  expect(quotationsOf(text)).toEqual([{ file: 'examples/a.ts', line: 2, text: 'part()\n' }])
  expect(modulesOf(text)).toEqual([])
})
