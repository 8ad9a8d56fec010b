import { pgEnum, pgSchema, text as textColumn } from 'drizzle-orm/pg-core'
import { sql as drizzleSql, Placeholder } from 'drizzle-orm/sql'
import { describe, expect, test } from 'vitest'
import { planOnce, renderStatement } from '../../src/database/render-statement.ts'
import { type SQL, sql } from '../../src/database/sql.ts'

const shop = pgSchema('shop')
const orders = shop.table('orders', { id: textColumn('id') })
const open = shop.view('open "orders"', { id: textColumn('id') }).as(drizzleSql`select id from shop.orders`)
const status = pgEnum('status', ['open', 'done'])

const renderedWith = (sql: typeof drizzleSql): readonly (readonly [string, SQL, readonly unknown[]])[] => [
  ['select 1', sql`select 1`, []],
  ['select $1, $2, $3, $4', sql`select ${'a'}, ${1}, ${true}, ${null}`, ['a', 1, true, null]],
  ['select $1', sql`select ${Buffer.of(1)}`, [Buffer.of(1)]],
  ['a $1 b $2 c $3', sql`a ${1} ${sql`b ${2} ${sql`c ${3}`}`}`, [1, 2, 3]],
  ['a   b c', sql`a ${undefined} ${sql``} ${sql.raw('b')} c`, []],
  ['$1 = any($2) and $3', sql`${1} = any(${sql.param([2, 3])}) and ${4}`, [1, [2, 3], 4]],
  [
    '$1 $2 $3',
    sql`${sql.param(null)} ${sql.param('a')} ${sql.param(Buffer.of(1))}`,
    [null, 'a', Buffer.of(1)],
  ],
  ['$1 (select $2)', sql`${1} ${sql.param(sql`(select ${2})`)}`, [1, 2]],
  ['$1 $2', sql`${1} ${sql.param(2, { mapToDriverValue: (value) => `<${value}>` })}`, [1, '<2>']],
  ['$1 in ($2, $3) and $4', sql`${1} in ${[2, 3]} and ${4}`, [1, 2, 3, 4]],
  ['$1, $2', sql.join([sql`${1}`, sql`${2}`], sql`, `), [1, 2]],
  [
    'from "shop"."orders" where "shop"."orders"."id" = $1',
    sql`from ${orders} where ${orders.id} = ${1}`,
    [1],
  ],
  ['from "shop"."open ""orders""" as "o""x"', sql`from ${open} as ${sql.identifier('o"x')}`, []],
  ['$1::"status"', sql`${1}::${status}`, [1]],
  ["$1 like 'it''s' $2", sql`${1} ${sql`like ${"it's"}`.inlineParams()} ${2}`, [1, 2]],
  ["like 'it''s'", sql`like ${"it's"}`.inlineParams(), []],
  ['$1 $2 $3', sql`${1} ${5n} ${new Date(0)}`, [1, 5n, new Date(0)]],
]

describe.each([
  ['our template', sql],
  ["Drizzle's template", drizzleSql],
])('of %s', (_name, template) => {
  test.each(renderedWith(template))('renders %s', (text, statement, parameters) => {
    expect(renderStatement(statement)).toEqual({ text, parameters })
  })
})

test('a placeholder stays a parameter', () => {
  const { text, parameters } = renderStatement(sql`${1} ${sql.placeholder('name')}`)
  expect(text).toBe('$1 $2')
  expect(parameters[1]).toBeInstanceOf(Placeholder)
})

test('a statement that is planned once hides each value with a cast', () => {
  const statement = sql`
    select ${1}::int, ${'a'}, ${sql`${2} `}::int
    where id = any(${sql.param(['b'])}::uuid[]) ${sql`and at > ${'c'}::timestamptz`} limit ${3}::int`
  expect(renderStatement(planOnce(statement))).toEqual({
    text: `
    select (select $1::int)::int, $2, $3 ::int
    where id = any((select $4::uuid[])::uuid[]) and at > (select $5::timestamptz)::timestamptz limit (select $6::int)::int`,
    parameters: [1, 'a', 2, ['b'], 'c', 3],
  })
})
