import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setUpGrown } from '../src/growth/measure-growth.ts'
import { type GrownSetup, operations } from '../src/growth/operations.ts'
import { type Bench, openBench } from '../src/hosts.ts'

const [few, many] = [10_000, 1_000_000]
const fillLimitMs = 15 * 60_000
/** The first runs plan the statements. A claim can run eight times. */
const [warmUps, runs] = [3, 5]

let bench: Bench
const setups = new Map<number, GrownSetup>()

beforeAll(async () => {
  bench = await openBench({
    isOnDisk: true,
    settings: { fsync: 'off', shared_preload_libraries: 'pg_stat_statements' },
  })
  const checkout = { root: new URL('../../', import.meta.url), fromSource: true }
  const grown = new Set(operations.map((operation) => operation.grown))
  for (const rows of [few, many]) setups.set(rows, await setUpGrown(bench, { rows, grown, checkout }))
}, fillLimitMs)

afterAll(() => bench?.close())

describe('with 1,000,000 rows, each statement reads only a few pages more than with 10,000 rows', () => {
  test.each(operations)('$name', { timeout: 60_000 }, async (operation) => {
    const pagesOf = async (rows: number) => {
      const setup = setups.get(rows)
      if (setup === undefined) throw new Error('The database is not filled')
      return pagesPerCall(setup, await operation.open(bench, setup))
    }
    const [expected, measured] = [await pagesOf(few), await pagesOf(many)]
    const compared = [...measured].filter(([query]) => expected.has(query))
    expect(compared).not.toEqual([])
    for (const [query, pages] of compared) {
      // In a large table, indexes are one or two pages deeper, and each of the 50 rows of a list is on a page of its own.
      expect(pages, query).toBeLessThanOrEqual((expected.get(query) ?? 0) * 2 + 60)
    }
  })
})

/** Returns the pages that one call of each statement of an operation reads, from memory or from the disk. */
async function pagesPerCall(
  { databaseUrl }: GrownSetup,
  runOnce: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await sql`create extension if not exists pg_stat_statements`
    for (let run = 0; run < warmUps; run += 1) await runOnce()
    // Without a reset: after one, the text of a prepared statement contains its constants, which differ between databases.
    const before = await readCounts(sql)
    for (let run = 0; run < runs; run += 1) await runOnce()
    const after = await readCounts(sql)
    return new Map(
      [...after].flatMap(([query, { calls, pages }]) => {
        const earlier = before.get(query) ?? { calls: 0, pages: 0 }
        const added = calls - earlier.calls
        return added < runs ? [] : [[query, (pages - earlier.pages) / added] as const]
      }),
    )
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Reads how often each statement has run in this database, and how many pages it has read. */
async function readCounts(sql: postgres.Sql) {
  // The host seals the filled audit events in the background.
  const rows = await sql<{ query: string; calls: number; pages: number }[]>`
    select query, sum(calls)::float8 as calls, sum(shared_blks_hit + shared_blks_read)::float8 as pages
    from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database())
      and query !~ 'pg_stat_statements|audit_seals'
    group by query`
  return new Map(rows.map(({ query, ...counts }) => [query, counts]))
}
