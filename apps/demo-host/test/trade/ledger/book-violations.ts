import { sql } from 'drizzle-orm/sql'

/** The queries that return violations of the invariants of the books. */
export const bookViolations = {
  'unbalanced postings': sql`
    select p.id
    from trade.postings p
    left join trade.posting_entries e on e.posting_id = p.id
    group by p.id
    having coalesce(sum(e.debit), 0) <> p.total or coalesce(sum(e.credit), 0) <> p.total`,
  'reversals that do not cancel the amounts of their posting': sql`
    select r.id, e.account, e.open_item_id
    from trade.postings r
    join trade.posting_entries e on e.posting_id in (r.id, r.reverses_id)
    where r.reverses_id is not null
    group by r.id, e.account, e.open_item_id
    having sum(e.debit - e.credit) <> 0`,
  'reversals that do not cancel the quantities of their posting': sql`
    select r.id, m.register, m.item_id
    from trade.postings r
    join trade.register_movements m on m.posting_id in (r.id, r.reverses_id)
    where r.reverses_id is not null
    group by r.id, m.register, m.item_id
    having sum(m.quantity) <> 0`,
  'documents that have amounts in the books without being posted': sql`
    select d.id
    from trade.documents d
    join trade.postings p on p.document_id = d.id
    join trade.posting_entries e on e.posting_id = p.id
    where d.status <> 'Posted'
    group by d.id, e.account
    having sum(e.debit - e.credit) <> 0`,
  'posted sales documents with a total that differs from their lines': sql`
    select d.id
    from trade.documents d
    where d.status = 'Posted' and d.type_code in ('trade.sales_order', 'trade.sales_invoice')
      and (
        select sum(round((line ->> 'quantity')::numeric * (line ->> 'unitPrice')::numeric, 2))
        from jsonb_array_elements(d.payload -> 'fields' -> 'lines') as line
      ) <> coalesce(
        (
          select sum(p.total)
          from trade.postings p
          where p.document_id = d.id and p.action_code in ('post', 'repost') and p.reverses_id is null
            and not exists (select from trade.postings r where r.reverses_id = p.id)
        ),
        0
      )`,
  'overpaid invoices and payments that are applied twice': sql`
    select e.open_item_id
    from trade.posting_entries e
    join trade.documents d on d.id = e.open_item_id
    group by e.open_item_id, d.type_code
    having case d.type_code when 'trade.sales_invoice' then 1 else -1 end * sum(e.debit - e.credit) < 0`,
} as const
