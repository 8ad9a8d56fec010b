import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import { customerPayment, salesInvoice } from '../../documents/document-types.ts'
import { isInEffect } from '../../ledger/queries/in-effect.ts'
import { openAmount } from '../../ledger/queries/open-amount.ts'
import type { ReceivablesOverview } from '../contract.ts'

type OverdueRow = { from_days: number; invoice_count: number; amount: string }
type OldestRow = { id: string; number: string; customer_id: string; due_date: string; outstanding: string }
type ReceivedRow = { month: string; amount: string }

/** The number of the oldest invoices. */
const oldestCount = 10

/** The date in the zone where days end last. An invoice is overdue when its due date has ended there, like its task. */
const lastDayAt = (now: SQL): SQL => sql`(${now} at time zone 'Etc/GMT+12')::date`

/** The posted invoices with a due date before this day. Uses the index `documents_by_due_date`. */
const invoicesDueBefore = (day: SQL): SQL => sql`
  select document.id, document.number, document.payload #>> '{fields,customerId}' as customer_id,
    document.payload #>> '{fields,dueDate}' as due_date, ${openAmount(sql`document.id`)} as outstanding
  from trade.documents document
  where document.type_code = ${salesInvoice.code}
    and document.status = 'Posted'
    and document.payload #>> '{fields,dueDate}' < to_char(${day}, 'YYYY-MM-DD')`

/**
 * The payments that were first posted in a month, each with what it has in the books today. A payment that was unposted counts
 * nothing until it is posted again, and then in its first month again. A payment that was reposted counts its new amount in its
 * first month. Only `post` can be the first posting of a document. Uses the indexes `postings_by_time` and `postings_by_document`:
 * the subquery in the select list keeps PostgreSQL from reading the postings of all documents.
 */
const receivedIn = (month: SQL): SQL => sql`
  select (
    select sum(posting.total)
    from trade.postings posting
    where posting.document_id = first.document_id
      and posting.action_code in ('post', 'repost')
      and ${isInEffect}
  ) as total
  from trade.postings first
  where first.document_type = ${customerPayment.code}
    and first.action_code = 'post'
    and first.reverses_id is null
    and first.posted_at >= ${month} at time zone 'UTC'
    and first.posted_at < (${month} + interval '1 month') at time zone 'UTC'
    and not exists (
      select
      from trade.postings earlier
      where earlier.document_id = first.document_id and earlier.id < first.id
    )`

/**
 * Loads the overview in three statements. Reads every posted invoice that was due before today and its entries, and
 * every payment of six months and its postings. So a vertical with very many of them stores their balances instead.
 */
export async function loadOverview(db: Db, now: SQL = sql`now()`): Promise<ReceivablesOverview> {
  const lastDay = lastDayAt(now)
  const dueInvoices = invoicesDueBefore(lastDay)
  const [overdue, oldest, received] = await Promise.all([
    db.execute<OverdueRow>(sql`
      select age.from_days, count(due.id)::int as invoice_count,
        coalesce(sum(due.outstanding::numeric), 0.00)::text as amount
      from (values (1, 30), (31, 60), (61, 1000000)) age (from_days, to_days)
      left join (${dueInvoices}) due
        on due.outstanding::numeric > 0
        and ${lastDay} - due.due_date::date between age.from_days and age.to_days
      group by age.from_days
      order by age.from_days`),
    db.execute<OldestRow>(sql`
      select *
      from (${dueInvoices}) due
      where due.outstanding::numeric > 0
      order by due.due_date, due.id
      limit ${oldestCount}`),
    db.execute<ReceivedRow>(sql`
      select to_char(month, 'YYYY-MM') as month, coalesce(sum(received.total), 0.00)::text as amount
      from generate_series(
        date_trunc('month', ${now} at time zone 'UTC') - interval '5 months',
        date_trunc('month', ${now} at time zone 'UTC'),
        interval '1 month'
      ) month
      left join lateral (${receivedIn(sql`month`)}) received on true
      group by month
      order by month`),
  ])
  return {
    overdue: overdue.map((row) => ({
      fromDays: row.from_days,
      invoiceCount: row.invoice_count,
      amount: row.amount,
    })),
    oldest: oldest.map((row) => ({
      ...{ id: row.id, number: row.number, customerId: row.customer_id, dueDate: row.due_date },
      outstandingAmount: row.outstanding,
    })),
    received: received.map(({ month, amount }) => ({ month, amount })),
  }
}
