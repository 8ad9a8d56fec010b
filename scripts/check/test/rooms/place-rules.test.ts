import { expect, test } from 'vitest'
import { check } from './fixture-tree.ts'

const notes = 'packages/notes/src'
const core = 'packages/core-audit/src'
const star = 'export * hides the public surface; name every export'
const logic = 'index.ts only names exports; move the code to its room'
const sql = 'SQL in a route; move it to queries/ or commands/'
const tables = 'a route imports tables or the query builder; move the statement to queries/ or commands/'
const clock = 'a rule or command reads the clock; accept the time as a parameter'
const boolean = 'a boolean argument is unclear at the call; name it in an object or write two functions'
const environment = 'only a host reads process.env; accept the value as an option'

test.each([
  ['a star export', 'index.ts', "export * from './module.ts'", star],
  ['a named star export', 'index.ts', "export * as notes from './module.ts'", star],
  ['a constant in index.ts', 'index.ts', 'export const version = 2', logic],
  ['a type in index.ts', 'index.ts', 'export type Id = string', logic],
  ['a call in index.ts', 'index.ts', 'register()', logic],
  ['an sql template in a route', 'routes.ts', 'const rows = sql`select 1`', sql],
  ['an sql template of a connection', 'routes.ts', 'const rows = tx.sql`select 1`', sql],
  ['an executed statement in a route', 'routes.ts', 'const rows = await tx.execute(query)', sql],
  ['the query builder in a route', 'routes.ts', "import { eq } from 'drizzle-orm'", tables],
  ['the driver in a route', 'routes.ts', "import postgres from 'postgres'", tables],
  ['a table in a route', 'routes.ts', "import { notes } from './schema.ts'", tables],
  ['an internal table in a route', 'routes.ts', "import { entries } from './schema-internal.ts'", tables],
  ['the clock in a policy', 'policy.ts', 'const now = Date.now()', clock],
  ['a new date in a command', 'commands/add-note.ts', 'const now = new Date()', clock],
  ['a date as text in a command', 'commands/add-note.ts', 'const now = Date()', clock],
  ['process.env in a package', 'config.ts', 'const url = process.env.DATABASE_URL', environment],
  ['process.env by brackets', 'config.ts', "const url = process['env']", environment],
  ['destructured process.env', 'config.ts', 'const { env } = process', environment],
  ['imported process.env', 'config.ts', "import { env as variables } from 'node:process'", environment],
  ['a boolean parameter', 'module.ts', 'function open(isNew: boolean) {}', boolean],
  ['an optional boolean', 'module.ts', 'const open = (id: string, isNew?: boolean) => id', boolean],
  ['a boolean with a default', 'module.ts', 'const open = (isNew = false) => isNew', boolean],
  ['a boolean or undefined', 'module.ts', 'const open = (isNew: boolean | undefined) => isNew', boolean],
  ['a boolean of a method', 'module.ts', 'const store = { set(isOn: boolean) {} }', boolean],
  ['a boolean of a class', 'module.ts', 'class Store { #set(isOn: boolean) {} }', boolean],
  ['a boolean of an interface', 'module.ts', 'interface Store { set(isOn: boolean): void }', boolean],
  ['a boolean of a callback', 'module.ts', 'type Listen = (isOn: boolean) => void', boolean],
])('the rules reject %s', (_title, file, text, message) => {
  expect(check({ [`${notes}/${file}`]: `\n\n${text}\n` })).toBe(`${notes}/${file}:3: ${message}`)
})

test.each([
  [
    'an index of named exports',
    'index.ts',
    "import { a } from './module.ts'\nexport { a }\nexport type { B } from './contract.ts'",
  ],
  ['a type of the query builder in a route', 'routes.ts', "import type { SQL } from 'drizzle-orm'"],
  ['the text sql in a string or comment', 'routes.ts', "// sql`…`\nconst text = 'sql`select 1`'"],
  ['a date created from a value', 'policy.ts', 'export const at = (value: number) => new Date(value)'],
  ['the clock elsewhere', 'module.ts', 'export const clock = () => new Date()'],
  ['sql in a query', 'queries/list-notes.ts', 'export const list = (db) => db.execute(sql`select 1`)'],
  ['the environment in a test harness', 'testing.ts', 'export const url = process.env.DATABASE_URL'],
  ['a boolean with a name', 'module.ts', 'const open = ({ isNew }: { isNew: boolean }) => isNew'],
  ['a boolean return value', 'module.ts', 'const isNew = (id: string): boolean => id === ""'],
  ['a setter', 'module.ts', 'class Panel { set open(isOpen: boolean) {} }'],
  ['a parameter of inferred type', 'module.ts', "socket.on('message', (data, isBinary) => data)"],
  ['another property named env', 'config.ts', 'export const read = (c) => c.env.requestId'],
])('the rules accept %s', (_title, file, text) => {
  expect(check({ [`${notes}/${file}`]: text })).toBe('')
})

test('the rules apply to rooms inside a room', () => {
  expect(
    check({
      [`${core}/identity/commands/sign-in.ts`]: 'const now = Date.now()',
      [`${core}/identity/routes.ts`]: 'const rows = sql`select 1`',
    }),
  ).toBe(`${core}/identity/commands/sign-in.ts:1: ${clock}\n${core}/identity/routes.ts:1: ${sql}`)
})

test('the rules apply to the rooms of an app', () => {
  const documents = 'apps/demo-host/src/trade/documents'
  expect(
    check({
      [`${documents}/commands/post-document.ts`]: 'const now = new Date()',
      [`${documents}/routes.ts`]: 'const rows = sql`select 1`',
    }),
  ).toBe(`${documents}/commands/post-document.ts:1: ${clock}\n${documents}/routes.ts:1: ${sql}`)
})

test.each(['packages/ui-client/src/client/read.ts', 'apps/demo-host/web/data/read.ts'])(
  'code for browsers must not import Node modules: %s',
  (path) => {
    const text = "import { readFile } from 'node:fs/promises'"
    expect(check({ [path]: `\n${text}\n` })).toBe(`${path}:2: code for browsers must not import Node modules`)
  },
)

test('tests, apps, benchmarks and scripts can read the environment', () => {
  expect(
    check({
      'packages/notes/test/harness.ts': 'export const url = process.env.DATABASE_URL',
      'benchmarks/src/load.ts': 'export const url = process.env.DATABASE_URL',
    }),
  ).toBe('')
})
