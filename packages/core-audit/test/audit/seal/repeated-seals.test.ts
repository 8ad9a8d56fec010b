import type { Database } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { anchorOf } from '../../../src/audit/seal/anchor.ts'
import { type NewestSeal, sealEvents } from '../../../src/audit/seal/seal-events.ts'
import type { AuditDifference } from '../../../src/audit/seal/verify/difference.ts'
import { readMarks, readSealHashes, readSeals } from '../../../src/audit/seal/verify/queries.ts'
import { verifySeals } from '../../../src/audit/seal/verify/verify-seals.ts'
import { openDatabase, openPool } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { addEvents, idOf, tamper } from './sealed-log.ts'

const seals = 'core_audit.audit_seals'
/** `verify` reads 200 seals in one page. */
const pageEnd = 200
const eventCount = 205

let fresh: FreshDatabase
let database: Database
let anchor: ReturnType<typeof anchorOf>

/** A seal for each event. The owner of the tables then changes an event, and computes all seals again. */
beforeEach(async () => {
  fresh = await openDatabase()
  onTestFinished(() => fresh.drop())
  database = openPool(fresh.url)
  await addEvents(database, 1, eventCount)
  const original = (await sealEach())[pageEnd - 1]
  if (original === undefined) throw new Error('No such seal')
  anchor = anchorOf(original)
  await tamper(
    fresh.url,
    `create table public.original as select * from ${seals} where sequence = ${pageEnd};
     update core_audit.audit_events set metadata = '{"forged": true}' where id = '${idOf(3)}';
     delete from ${seals}`,
  )
  await sealEach()
})

const sealEach = () =>
  database.transaction(async (tx) => {
    const added: NewestSeal[] = []
    for (;;) {
      const newest = added.at(-1) ?? null
      const next = await sealEvents(tx, { newest, belowId: idOf(1_000), maxEventCount: 1 })
      if (next === null) return added
      added.push(next)
    }
  })

/** Compares the seals without a look at the tables: they could change while the command runs. */
async function verify(fromSequence = 1) {
  const differences: AuditDifference[] = []
  const { eventCount } = await verifySeals(database, {
    ...{ fromSequence, anchors: [anchor], droppedBelowId: null },
    onProgress: () => {},
    onDifference: (difference) => void differences.push(difference),
  })
  return { differences, eventCount }
}

const repeated = { kind: 'seal repeated', sequence: pageEnd }
const replaced = { kind: 'anchor differs', sequence: pageEnd }

test.each(['first', 'last'])(
  'the original seal beside a forged one at the end of a page is found if it is the %s one',
  async (place) => {
    const forged = `insert into ${seals} select * from public.forged`
    const original = `insert into ${seals} select * from public.original`
    await tamper(
      fresh.url,
      `alter table ${seals} drop constraint audit_seals_pkey;
       create table public.forged as select * from ${seals} where sequence = ${pageEnd};
       delete from ${seals} where sequence = ${pageEnd};
       ${place === 'first' ? `${original}; ${forged}` : `${forged}; ${original}`}`,
    )
    const found = await verify()
    expect(found.differences).toContainEqual(repeated)
    expect(found.differences).toContainEqual(replaced)
    // No events count for the second seal of the number, nor for the seal that does not follow from the one before it.
    expect(found.eventCount).toBe(eventCount - 1)
    // The repeated seal is before the first one that is verified.
    expect((await verify(pageEnd + 1)).differences).toContainEqual(replaced)
    expect(await runAudit(fresh.url, ['verify', '--anchor', anchor.text])).toMatchObject({ exitCode: 3 })
  },
)

test('an original seal in a table that inherits from the seals does not replace a forged one', async () => {
  await tamper(
    fresh.url,
    `create table core_audit.more () inherits (${seals});
     insert into core_audit.more select * from public.original`,
  )
  expect((await verify()).differences).toEqual([replaced])
  expect(await runAudit(fresh.url, ['verify', '--anchor', anchor.text])).toMatchObject({ exitCode: 3 })
})

test('a seal in a table that inherits from the seals is not read', async () => {
  await tamper(
    fresh.url,
    `create table core_audit.more () inherits (${seals});
     with moved as (delete from only ${seals} where sequence = ${eventCount} returning *)
     insert into core_audit.more select * from moved`,
  )
  const page = { fromSequence: eventCount, previousHash: '', limit: 1 }
  expect(await database.read((db) => readSeals(db, page))).toEqual([])
  expect(await database.read((db) => readMarks(db, eventCount))).toEqual([])
  expect(await database.read((db) => readSealHashes(db, [eventCount]))).toEqual([])
})
