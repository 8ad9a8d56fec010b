import { expect, test } from 'vitest'
import { check } from './fixture-tree.ts'

const notes = 'packages/notes/src'

/** Returns the findings if the package exports these names of a file with this text. */
const exporting = (names: string, text: string) =>
  check({ [`${notes}/index.ts`]: `export { ${names} } from './module.ts'\n`, [`${notes}/module.ts`]: text })

test.each([
  ['a constant', 'export const a = 1\n', 1],
  ['a function', '// Why.\nexport function a() {}\n', 2],
  ['a type below the docstring of another name', '/** Is b. */\nexport const b = 1\nexport type a = 1\n', 3],
  ['a type with a plain comment', '/* Why. */\nexport interface a {}\n', 2],
])('the rule rejects %s without a docstring', (_title, text, line) => {
  expect(exporting('a', text)).toBe(`${notes}/module.ts:${line}: a is exported without a docstring`)
})

test.each([
  ['a class', 'a', '/** Is a. */\nexport class a {}\n'],
  [
    'a schema and its type',
    'a',
    '/** Is a. */\nexport const a = 1\n\nexport type a = v.InferOutput<typeof a>\n',
  ],
  [
    'the elements of a list',
    'type b',
    '/** All of b. */\nconst bs = [1] as const\nexport type b = (typeof bs)[number]\n',
  ],
  ['a name that only its package uses', 'a', '/** Is a. */\nexport const a = 1\nexport const other = 1\n'],
])('the rule accepts one docstring for %s', (_title, names, text) => {
  expect(exporting(names, text)).toBe('')
})
