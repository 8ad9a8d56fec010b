import { expect, test } from 'vitest'
import { check } from './fixture-tree.ts'

const notes = 'packages/notes/src'
const core = 'packages/core-audit/src'

const refused = 'a contract must not import server code: only valibot and other contract files, not'

test.each([
  ['a server package', "import { Hono } from 'hono'", 'hono'],
  ['a server type', "import type { SQL } from 'drizzle-orm'", 'drizzle-orm'],
  ['a built-in module', "import { Buffer } from 'node:buffer'", 'node:buffer'],
  ['a server file of the same package', "import { NotesError } from './errors.ts'", './errors.ts'],
  [
    'the front door of another package',
    "import { x } from '@vertical-kit/core-audit'",
    '@vertical-kit/core-audit',
  ],
])('the rule rejects %s in a contract', (_title, text, specifier) => {
  expect(check({ [`${notes}/contract.ts`]: text })).toBe(`${notes}/contract.ts:1: ${refused} ${specifier}`)
})

test('the rule rejects server code in an indirectly imported contract file', () => {
  expect(check({ [`${core}/http/contract.ts`]: "import { SQL } from 'drizzle-orm'" })).toBe(
    `${core}/http/contract.ts:1: ${refused} drizzle-orm`,
  )
})

test('the rule accepts a contract that consists of several files', () => {
  expect(
    check({
      [`${notes}/contract.ts`]: "export { note } from './commands/contract/note.ts'",
      [`${notes}/commands/contract/note.ts`]: "import * as v from 'valibot'",
    }),
  ).toBe('')
})
