import { codePointCount, isStorable } from '@vertical-kit/core-audit/contract'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { openDatabase, openPool } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
)

test('isStorable accepts exactly the texts that PostgreSQL returns unchanged', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  const survives = async (text: string): Promise<boolean> => {
    const stored = database.read((db) =>
      db.execute<{ text: string; inJson: { text: string } }>(
        sql`select ${text}::text as text, ${JSON.stringify({ text })}::jsonb as "inJson"`,
      ),
    )
    const [row] = await stored.catch(() => [])
    return row?.text === text && row.inJson.text === text
  }
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => (await survives(text)) === isStorable(text)),
    {
      examples: [['a\0b'], ['\ud800'], ['😀'], ['\ufeff'], [''], ['\uffff']],
      interruptAfterTimeLimit: 20_000,
    },
  )
})

test('codePointCount returns the same length as PostgreSQL', async () => {
  const database = openPool(fresh.url, { poolMax: 1 })
  await fc.assert(
    fc.asyncProperty(anyText.filter(isStorable), async (text) => {
      const [row] = await database.read((db) =>
        db.execute<{ count: number }>(sql`select char_length(${text}::text) as count`),
      )
      return row?.count === codePointCount(text)
    }),
    { examples: [['😀'], ['👩‍💻'], ['é'], ['e\u0301']], interruptAfterTimeLimit: 20_000 },
  )
})
