import { expect, test } from 'vitest'
import { wordingFindings } from '../wording.ts'

/** Returns a call with a title. The test builds the text from parts, because the check also reads this file. */
const calling = (beginning: string, title: string) => `${beginning}('${title}', () => {})\n`

const findingsIn = (path: string, text: string) =>
  wordingFindings(new Map([[path, text]])).map(({ line, message }) => `${line}: ${message}`)

test.each([
  ['a line comment', 'a.ts', '// The user to whom it belongs.\n', 1, 'name the person or the thing'],
  ['a docstring', 'a.ts', '\n/**\n * Returns it anew.\n */\n', 2, 'write "again"'],
  [
    'a vague time',
    'a.ts',
    '// It changed meanwhile.\n',
    1,
    'name the time: "during the scan", "since it was loaded"',
  ],
  ['a comment of several lines', 'a.ts', '// Waits for\n// ever.\n', 1, 'without a limit'],
  ['a fragment', 'a.ts', '/** What a read takes. */\n', 1, 'begin with a subject or a verb'],
  ['a second sentence', 'a.ts', '/** Reads it. Of all rows, one. */\n', 1, 'begin with a subject or a verb'],
  ['the title of a test', 'a.test.ts', calling('test', 'whoever asks is refused'), 1, '"users who"'],
  [
    'the title of a table of cases',
    'a.test.ts',
    calling('test.each([\n  1,\n])', 'asks anew %i'),
    3,
    'again',
  ],
  [
    'a text of the page',
    'elements/texts.ts',
    "export const texts = { a: 'Of no use' }\n",
    1,
    'subject or a verb',
  ],
  ['a paragraph', 'a.md', '# What it is\n\nThe caller\nmay everything.\n', 3, 'has all permissions'],
  ['a list item', 'a.md', '- One.\n- What comes second.\n', 2, 'begin with a subject or a verb'],
])('the check finds %s that is hard to read, with its line', (_case, path, text, line, advice) => {
  expect(findingsIn(path, text)).toEqual([expect.stringMatching(new RegExp(`^${line}: .*${advice}`))])
})

test.each([
  ['a question', 'a.md', 'What happens after a restart?\n'],
  ['code in a page', 'a.md', '```ts\n// Of no concern\n```\n\nThe `What is whom` column.\n'],
  ['a heading', 'a.md', '## What it does not do\n'],
  ['a string that is not a title', 'a.ts', "const key = 'Of whom'\n"],
])('the check accepts %s', (_case, path, text) => {
  expect(findingsIn(path, text)).toEqual([])
})
