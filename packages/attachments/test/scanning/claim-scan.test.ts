import { newId, type SQL, sql } from '@vertical-kit/core-audit'
import { plansOf, readCountOf, statementOf } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type ClaimScan,
  claimScan,
  nextScanAt,
  noAuthor,
  postponeScan,
} from '../../src/commands/claim-scan.ts'
import { finishScan } from '../../src/commands/finish-scan.ts'
import type { ScanVerdict } from '../../src/scanning/scanner.ts'
import { type Bench, openBench } from '../commands/bench.ts'
import { eventCodes, storedAttachment } from '../rows.ts'

let bench: Bench
/** A user with many files. */
const busy = newId()

beforeAll(async () => {
  bench = await openBench()
})
beforeEach(async () => {
  await bench.database.statement((tx) => tx.execute(sql`truncate attachments.attachments`))
})
afterAll(() => bench.close())

interface Waiting {
  /** Null is another author for each file. */
  readonly author: string | null
  readonly count: number
  readonly attempts?: number
  /** The age of the oldest file. Each further file is a millisecond younger. */
  readonly dueFor?: string
}

const addWaiting = ({ author, count, attempts = 0, dueFor = '1 hour' }: Waiting) =>
  bench.database.statement((tx) =>
    tx.execute(sql`
      insert into attachments.attachments (
        id, target_kind, target_type_code, target_id, file_name, content_type, size_bytes, status, created_by_user_id,
        scan_due_at, scan_attempts
      )
      select gen_random_uuid(), 'Document', 'trade.sales_invoice', gen_random_uuid(), 'a.txt', 'text/plain', 5, 'scanning',
        coalesce(${author}::uuid, gen_random_uuid()), clock_timestamp() - ${dueFor}::interval + n * interval '1 millisecond', ${attempts}::int
      from generate_series(1, ${count}::int) n`),
  )

const claimOf = (claim: Partial<ClaimScan>): ClaimScan => ({
  claimMs: 60_000,
  preferred: 'first',
  lastAuthors: { first: noAuthor, repeated: noAuthor },
  fullAuthors: [],
  ...claim,
})

/** Returns a function that claims the next file like a host, and returns its author and the number of its attempt. */
function claiming(claim: Partial<ClaimScan> = {}) {
  const lastAuthors = { first: noAuthor, repeated: noAuthor }
  return async () => {
    const claimed = await bench.database.statement((tx) => claimScan(tx, claimOf({ lastAuthors, ...claim })))
    if (claimed === undefined) return undefined
    lastAuthors[claimed.kind] = claimed.attachment.createdByUserId
    return { author: claimed.attachment.createdByUserId, attempt: claimed.attempt }
  }
}

test.each([1, 2, 5])(
  'the file of a user waits for one file of each of %i users with many older files',
  async (users) => {
    const [author, ...others] = Array.from({ length: users + 1 }, newId) as [string, ...string[]]
    for (const other of others) await addWaiting({ author: other, count: 1_500 })
    await addWaiting({ author, count: 1, dueFor: '1 minute' })
    const claim = claiming()
    const authors = new Set<string | undefined>()
    for (let n = 0; n <= users; n += 1) authors.add((await claim())?.author)
    expect(authors).toEqual(new Set([author, ...others]))
  },
)

test('the oldest file of a user is claimed first, and those that are not due are not claimed', async () => {
  const author = newId()
  await addWaiting({ author, count: 2, attempts: 2, dueFor: '-1 hour' })
  await addWaiting({ author, count: 1, attempts: 5, dueFor: '1 minute' })
  await addWaiting({ author, count: 1, attempts: 7, dueFor: '2 minutes' })
  const claim = claiming()
  expect([await claim(), await claim(), await claim()]).toEqual([
    { author, attempt: 8 },
    { author, attempt: 6 },
    undefined,
  ])
})

test('the preferred kind of attempt is claimed before the other one, and each kind has its own turns', async () => {
  const authors = [newId(), newId(), newId()].sort()
  for (const author of authors) {
    await addWaiting({ author, count: 1 })
    await addWaiting({ author, count: 1, attempts: 1 })
  }
  const [a, b, c] = authors
  const lastAuthors = { first: b ?? '', repeated: a ?? '' }
  const claimed = async (preferred: ClaimScan['preferred']) => {
    const next = await claiming({ preferred, lastAuthors })()
    return [next?.author, next?.attempt]
  }
  expect(await claimed('first')).toEqual([c, 1])
  expect(await claimed('repeated')).toEqual([b, 2])
  expect(await claimed('first')).toEqual([a, 1])
  expect(await claimed('first')).toEqual([b, 1])
  // No file waits for its first attempt.
  expect(await claimed('first')).toEqual([c, 2])
  expect(await claimed('first')).toEqual([a, 2])
  expect(await claimed('first')).toEqual([undefined, undefined])
})

test('the files of a full author are not claimed, and a locked file hides no other one', async () => {
  const [full, locked, other] = [newId(), newId(), newId()].sort() as [string, string, string]
  for (const author of [full, locked, other]) await addWaiting({ author, count: 2 })
  const claim = claiming({ fullAuthors: [full], lastAuthors: { first: noAuthor, repeated: noAuthor } })
  const lock = (author: string, count: number) => sql`
    select id from attachments.attachments
    where created_by_user_id = ${author}::uuid
    order by scan_due_at
    limit ${count}
    for update`
  await bench.database.transaction(async (tx) => {
    await tx.execute(lock(locked, 1))
    expect(await claim()).toEqual({ author: locked, attempt: 1 })
    await tx.execute(lock(locked, 2))
    expect(await claim()).toEqual({ author: other, attempt: 1 })
  })
  expect(await claim()).toEqual({ author: locked, attempt: 1 })
  expect(await claim()).toEqual({ author: other, attempt: 1 })
  expect(await claim()).toBeUndefined()
})

/** Returns the most rows that one node of a plan of the statement reads, and fails if a plan reads many pages. */
async function mostRead(statement: SQL): Promise<number> {
  const plans = await plansOf(bench.database, statement)
  for (const [root] of plans) {
    expect((root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0)).toBeLessThan(60)
  }
  const ofTable = plans.flat().filter((node) => node['Relation Name'] !== undefined)
  return Math.max(...ofTable.map(readCountOf))
}

test('a claim looks once at each author of repeated attempts, of which none is due', async () => {
  await addWaiting({ author: null, count: 500, attempts: 2, dueFor: '-1 hour' })
  await addWaiting({ author: newId(), count: 1 })
  const statement = await statementOf(bench.database, (tx) =>
    claimScan(tx, claimOf({ preferred: 'repeated' })),
  )
  for (const plan of await plansOf(bench.database, statement)) {
    const counts = plan.filter((node) => node['Relation Name'] !== undefined).map(readCountOf)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThan(510)
  }
})

test.each<[what: string, backlog: Partial<Waiting>, claim: Partial<ClaimScan>]>([
  ['first attempts', {}, {}],
  ['first attempts of a user with enough running scans', {}, { fullAuthors: [busy] }],
  ['repeated attempts', { attempts: 2 }, {}],
  ['repeated attempts, of which none is due', { attempts: 2, dueFor: '-1 hour' }, { preferred: 'repeated' }],
])('a claim reads few of 20,000 %s', async (_what, backlog, claim) => {
  await addWaiting({ author: busy, count: 20_000, ...backlog })
  await addWaiting({ author: newId(), count: 1, attempts: 1 })
  await bench.database.statement((tx) => tx.execute(sql`analyze attachments.attachments`))
  const statement = await statementOf(bench.database, (tx) => claimScan(tx, claimOf(claim)))
  expect(await mostRead(statement)).toBeLessThanOrEqual(4)
  expect(await mostRead(sql`select ${nextScanAt}`)).toBe(1)
})

test.each([
  ['clean', { isClean: true }],
  ['infected', { isClean: false, finding: 'Eicar' }],
] as const)(
  'a later result that is %s changes nothing after the first one was stored',
  async (_what, later) => {
    await addWaiting({ author: newId(), count: 1 })
    const claimed = await bench.database.statement((tx) => claimScan(tx, claimOf({})))
    const id = claimed?.attachment.id ?? ''
    const finish = (verdict: ScanVerdict) =>
      bench.database.transaction((tx) => finishScan(tx, bench.config, { id, verdict }))
    await finish({ isClean: true })
    const stored = await storedAttachment(bench.database, id)
    expect(stored).toMatchObject({ status: 'ready' })
    await finish(later)
    // An attempt without a result changes nothing either.
    await bench.database.statement((tx) => postponeScan(tx, { id, delayMs: 0, isAttempt: true }))
    expect(await storedAttachment(bench.database, id)).toEqual(stored)
    expect(await eventCodes(bench.database, id)).toEqual(['upload_completed'])
  },
)
