import { brokenConstraint, newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { DocumentState } from '@vertical-kit/document-actions'
import { type SQL, sql } from 'drizzle-orm/sql'
import { expect, test } from 'vitest'
import { reversePostings } from '../../../src/trade/ledger/commands/reverse-postings.ts'
import { type Cause, writePosting } from '../../../src/trade/ledger/commands/write-posting.ts'
import type { Posting } from '../../../src/trade/ledger/posting.ts'
import { loadEffects } from '../../../src/trade/ledger/queries/load-effects.ts'
import { openTradeHost } from '../harness.ts'

const host = await openTradeHost()

function aCause(): Cause {
  const document: DocumentState = {
    id: newId(),
    typeCode: 'trade.sales_invoice',
    number: 'SI-1',
    display: 'Sales invoice SI-1',
    status: 'Draft',
    version: 1,
    payload: { fields: {} },
  }
  return { document, actionCode: 'post', executionId: newId() }
}

const entry = (account: string, debit: bigint, credit: bigint) => ({ account, debit, credit })
const balanced: Posting = {
  entries: [entry('a', 1_250n, 0n), entry('b', 0n, 1_000n), entry('c', 0n, 250n)],
  movements: [{ register: 'trade.sold_items', itemId: newId(), quantity: 1_500n }],
}

const write = (posting: Posting, cause = aCause()) =>
  host.database.transaction(async (tx) => {
    await writePosting(tx, cause, posting)
    return cause
  })

const effectsOf = ({ document }: Cause) => host.database.read((db) => loadEffects(db, document))

/** Returns the name of the violated constraint, or the SQLSTATE if the error contains no constraint. */
async function refusalOf(work: (tx: Tx) => Promise<unknown>): Promise<string> {
  return host.database.transaction(work).then(
    () => 'no error',
    (error: unknown) => brokenConstraint(error) ?? String(Reflect.get(error as object, 'code')),
  )
}

const runs = (statement: SQL) => (tx: Tx) => tx.execute(statement)

test('a posting is in effect until it is reversed, and a reversal is never in effect', async () => {
  const cause = await write(balanced)
  expect(await effectsOf(cause)).toMatchObject({
    accountingEntries: [
      { account: 'a', debit: '12.50', credit: '0.00' },
      { account: 'b', debit: '0.00', credit: '10.00' },
      { account: 'c', debit: '0.00', credit: '2.50' },
    ],
    registerMovements: [{ quantity: '1.500' }],
  })
  await host.database.transaction((tx) => reversePostings(tx, { ...cause, actionCode: 'unpost' }))
  expect(await effectsOf(cause)).toEqual({ accountingEntries: [], registerMovements: [] })
  // A second call changes nothing: it reverses only postings that are in effect.
  await host.database.transaction((tx) => reversePostings(tx, cause))
  const rows = await host.database.read((db) =>
    db.execute<{ postings: number; balance: string; moved: string }>(sql`
      select
        count(distinct p.id)::int as postings,
        sum(e.debit - e.credit) filter (where e.account = 'a')::text as balance,
        (
          select sum(m.quantity)::text
          from trade.register_movements m
          join trade.postings q on q.id = m.posting_id
          where q.document_id = ${cause.document.id}::uuid
        ) as moved
      from trade.postings p
      join trade.posting_entries e on e.posting_id = p.id
      where p.document_id = ${cause.document.id}::uuid`),
  )
  expect(rows).toEqual([{ postings: 2, balance: '0.00', moved: '0.000' }])
})

test('the database rejects an unbalanced posting', async () => {
  const cause = aCause()
  const refused = await refusalOf((tx) =>
    writePosting(tx, cause, { entries: [entry('a', 100n, 0n), entry('b', 0n, 99n)], movements: [] }),
  )
  expect(refused).toBe('postings_balance_check')
  expect(await effectsOf(cause)).toEqual({ accountingEntries: [], registerMovements: [] })
})

test('the database rejects a posting that has a total but no entries', async () => {
  const statement = sql`
    insert into trade.postings (document_type, document_id, document_number, action_code, execution_id, total)
    values ('trade.sales_invoice', ${newId()}::uuid, 'SI-1', 'post', ${newId()}::uuid, 1)`
  expect(await refusalOf(runs(statement))).toBe('postings_balance_check')
})

test('the database rejects additional entries of an existing posting, even if the entries are balanced', async () => {
  await write(balanced)
  const statement = sql`
    insert into trade.posting_entries (posting_id, line, account, debit, credit)
    select p.id, 99 + side, 'x', 5 * side, 5 * (1 - side)
    from (select max(id) as id from trade.postings) p, generate_series(0, 1) side`
  expect(await refusalOf(runs(statement))).toBe('postings_balance_check')
})

test.each(['postings', 'posting_entries', 'register_movements'])(
  'the rows of the table trade.%s cannot be changed or deleted',
  async (table) => {
    await write(balanced)
    const name = sql.raw(`trade.${table}`)
    const insufficientPrivilege = '42501'
    expect(await refusalOf(runs(sql`delete from ${name}`))).toBe(insufficientPrivilege)
    expect(await refusalOf(runs(sql`truncate ${name} cascade`))).toBe(insufficientPrivilege)
    const column = sql.raw(table === 'postings' ? 'action_code' : 'posting_id')
    expect(await refusalOf(runs(sql`update ${name} set ${column} = ${column}`))).toBe(insufficientPrivilege)
  },
)

test('the database rejects changes of the books even while ordinary triggers are disabled', async () => {
  await write(balanced)
  const off = sql`set local session_replication_role = replica`
  const refused = await refusalOf(async (tx) => {
    await tx.execute(off)
    await tx.execute(sql`delete from trade.posting_entries`)
  })
  expect(refused).toBe('42501')
  const unbalanced = await refusalOf(async (tx) => {
    await tx.execute(off)
    await writePosting(tx, aCause(), { entries: [entry('a', 1n, 0n)], movements: [] })
  })
  expect(unbalanced).toBe('postings_balance_check')
})

test('a posting can be reversed only once', async () => {
  const cause = await write(balanced)
  const reverse = sql`
    insert into trade.postings (
      document_type, document_id, document_number, action_code, execution_id, total, reverses_id
    )
    select document_type, document_id, document_number, 'unpost', execution_id, 0, id
    from trade.postings
    where document_id = ${cause.document.id}::uuid and reverses_id is null`
  await host.database.transaction(runs(reverse))
  expect(await refusalOf(runs(reverse))).toBe('postings_reverses_id_key')
})

test('the database rejects entries with a negative amount or the amount zero', async () => {
  for (const one of [entry('a', -100n, -100n), entry('a', 0n, 0n)]) {
    const refused = await refusalOf((tx) => writePosting(tx, aCause(), { entries: [one], movements: [] }))
    expect(['posting_entries_amounts_check', 'postings_total_check']).toContain(refused)
  }
})
