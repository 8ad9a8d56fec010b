import postgres from 'postgres'
import { rebuildIndexes } from './rebuild-indexes.ts'

/** The amount of data in a filled database. */
export interface DataSize {
  readonly documents: number
  readonly notesPerDocument: number
  readonly attachmentsPerDocument: number
}

/** An invoice with the state that the last response contained. */
export interface FilledDocument {
  readonly id: string
  status: 'Draft' | 'Posted'
  version: number
}

/** The invoices of a filled database. Some are only read, and all others are used for actions. */
export interface Documents {
  readonly read: readonly FilledDocument[]
  readonly acted: readonly FilledDocument[]
}

const maxReadCount = 1_000

/**
 * Fills a migrated demo database with sales invoices of one to three lines. Half of the invoices are posted. Each invoice
 * has notes and ready attachments by the user `clerk`. Then updates statistics and visibility maps of the filled tables.
 */
export async function fillDatabase(url: string, size: DataSize): Promise<Documents> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const documents = await fillDocuments(sql, size.documents)
    await fillContent(sql, size)
    // Do not vacuum empty tables. Otherwise, PostgreSQL would plan for empty tables while they are filled.
    await sql`
      vacuum analyze trade.documents, trade.postings, trade.posting_entries, trade.register_movements, notes.notes,
        attachments.attachments, core_audit.users, core_audit.roles, core_audit.user_roles`
    const readCount = Math.min(maxReadCount, Math.ceil(documents.length / 2))
    return { read: documents.slice(0, readCount), acted: documents.slice(readCount) }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function fillDocuments(sql: postgres.Sql, documentCount: number): Promise<readonly FilledDocument[]> {
  const documents = await sql<FilledDocument[]>`
    insert into trade.documents (id, type_code, number, display, status, version, payload)
    select
      uuidv7(), 'trade.sales_invoice', 'BENCH-' || g, 'Benchmark invoice ' || g,
      case g % 2 when 0 then 'Posted' else 'Draft' end, 1 + (g + 1) % 2,
      jsonb_build_object('fields', jsonb_build_object(
        'customerId', uuidv7(),
        'dueDate', '2026-12-31',
        'lines', (
          select jsonb_agg(jsonb_build_object('itemId', uuidv7(), 'quantity', 1 + (g + l) % 12, 'unitPrice', '24.90'))
          from generate_series(1, 1 + g % 3) l
        )
      ))
    from generate_series(1, ${documentCount}::int) g
    returning id, status, version`
  await sql`
    with invoice as (
      select
        d.id,
        d.number,
        d.payload -> 'fields' -> 'lines' as lines,
        (
          select sum((line ->> 'quantity')::numeric * (line ->> 'unitPrice')::numeric)
          from jsonb_array_elements(d.payload -> 'fields' -> 'lines') line
        ) as total
      from trade.documents d
      where d.number like 'BENCH-%' and d.status = 'Posted'
    ),
    posting as (
      insert into trade.postings (document_type, document_id, document_number, action_code, execution_id, total)
      select 'trade.sales_invoice', id, number, 'post', uuidv7(), total
      from invoice
      returning id, document_id, total
    ),
    entries as (
      insert into trade.posting_entries (posting_id, line, account, debit, credit, open_item_id)
      select id, 1, '1200 Receivables', total, 0, document_id from posting
      union all
      select id, 2, '4000 Revenue', 0, total, null from posting
    )
    insert into trade.register_movements (posting_id, register, item_id, quantity)
    select posting.id, 'trade.sold_items', (line ->> 'itemId')::uuid, (line ->> 'quantity')::numeric
    from posting
    join invoice on invoice.id = posting.document_id
    cross join jsonb_array_elements(invoice.lines) line`
  return documents.map(({ id, status, version }) => ({ id, status, version }))
}

async function fillContent(sql: postgres.Sql, size: DataSize): Promise<void> {
  const [clerk] = await sql`select id from core_audit.users where subject = 'clerk'`
  const author = clerk?.['id'] as string
  const notes = () => sql`
    insert into notes.notes (
      id, target_kind, target_type_code, target_id, text, created_by_user_id, updated_by_user_id
    )
    select uuidv7(), 'Document', 'trade.sales_invoice', d.id,
      'Spoke to the customer, who asked for delivery before noon. ' || g, ${author}, ${author}
    from generate_series(1, ${size.notesPerDocument}::int) g, trade.documents d
    where d.number like 'BENCH-%'`
  const attachments = () => sql`
    insert into attachments.attachments (
      id, target_kind, target_type_code, target_id, file_name, content_type, size_bytes, status,
      created_by_user_id, completed_at
    )
    select uuidv7(), 'Document', 'trade.sales_invoice', d.id, 'delivery note ' || g || '.pdf', 'application/pdf',
      1000 + g, 'ready', ${author}, clock_timestamp()
    from generate_series(1, ${size.attachmentsPerDocument}::int) g, trade.documents d
    where d.number like 'BENCH-%'`
  await rebuildIndexes(sql, 'notes.notes', notes)
  await rebuildIndexes(sql, 'attachments.attachments', attachments)
}
