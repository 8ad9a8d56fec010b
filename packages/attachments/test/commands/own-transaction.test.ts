import { newId } from '@vertical-kit/core-audit'
import { kitTx } from '@vertical-kit/core-audit/drizzle'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApplicationTx, applications, driverNames } from '../../../../vitest.applications.ts'
import { reserveUpload } from '../../src/commands/reserve-upload.ts'
import { hello, newTarget } from '../harness.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench({ Attachments__MaxActivePerObject: '3' })
})
afterAll(() => bench.close())

const reserve = (tx: ApplicationTx, target: ReturnType<typeof newTarget>) =>
  reserveUpload(kitTx(tx), bench.config, { id: newId(), target, ...hello, actor: bench.actor })

async function countsOf({ id }: ReturnType<typeof newTarget>) {
  const [row] = await bench.database.read((db) =>
    db.execute(sql`
      select
        (select count(*)::int from attachments.attachments where target_id = ${id}::uuid) as attachments,
        (select count(*)::int from core_audit.audit_events where target_id = ${id}::uuid) as events`),
  )
  return row
}

describe.each(driverNames)('in an application transaction with %s', (driver) => {
  test('a reservation succeeds and is rolled back with the transaction', async () => {
    const { transaction } = applications[driver](bench.url)
    const target = newTarget()
    const undone = transaction(async (tx) => {
      const { id, createdAtUtc, ...reserved } = await reserve(tx, target)
      expect(reserved).toMatchObject({
        target,
        ...hello,
        status: 'pending',
        createdByUserId: bench.actor.userId,
      })
      tx.rollback()
    })
    await expect(undone).rejects.toThrow('Rollback')
    expect(await countsOf(target)).toEqual({ attachments: 0, events: 0 })
  })

  test('with a limit of three, only three of ten concurrent reservations by two applications succeed', async () => {
    const both = [applications[driver](bench.url), applications[driver](bench.url)]
    const target = newTarget()
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        both[index % both.length]
          ?.transaction((tx) => reserve(tx, target))
          .then(
            ({ status }) => status,
            (error: { code?: string }) => error.code ?? 'another error',
          ),
      ),
    )
    expect(outcomes.toSorted()).toEqual([
      ...Array.from({ length: 7 }, () => 'attachments.count_limit_exceeded'),
      ...Array.from({ length: 3 }, () => 'pending'),
    ])
    expect(await countsOf(target)).toEqual({ attachments: 3, events: 3 })
  })
})
