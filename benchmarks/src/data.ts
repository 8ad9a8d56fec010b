import postgres from 'postgres'

/** How much to fill a migrated database with. */
export interface DataSize {
  readonly parents: number
  readonly notesPerParent: number
  readonly attachmentsPerParent: number
}

/**
 * Fills a migrated demo database with sales invoices, each with notes and ready attachments, all by the user `clerk`,
 * and returns some of the invoices' ids. Statistics and the visibility map are up to date afterwards.
 */
export async function fillDatabase(url: string, size: DataSize): Promise<readonly string[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [clerk] = await sql`select id from core_audit.users where subject = 'clerk'`
    const author = clerk?.['id'] as string
    const first = await sql`
      insert into trade.documents (id, type_code, number, display, status, version, payload)
      select uuidv7(), 'trade.sales_invoice', 'BENCH-' || g, 'Benchmark invoice ' || g, 'Draft', 1, '{"fields":{}}'
      from generate_series(1, ${size.parents}::int) g
      returning id`
    await sql`
      insert into notes.notes (
        id, target_kind, target_type_code, target_id, text, created_by_user_id, updated_by_user_id
      )
      select uuidv7(), 'Document', 'trade.sales_invoice', d.id,
        'Spoke to the customer, who asked for delivery before noon. ' || g, ${author}, ${author}
      from generate_series(1, ${size.notesPerParent}::int) g, trade.documents d
      where d.number like 'BENCH-%'`
    await sql`
      insert into attachments.attachments (
        id, target_kind, target_type_code, target_id, file_name, content_type, size_bytes, status,
        created_by_user_id, completed_at
      )
      select uuidv7(), 'Document', 'trade.sales_invoice', d.id, 'delivery note ' || g || '.pdf', 'application/pdf',
        1000 + g, 'ready', ${author}, clock_timestamp()
      from generate_series(1, ${size.attachmentsPerParent}::int) g, trade.documents d
      where d.number like 'BENCH-%'`
    await sql`vacuum analyze`
    return first.slice(0, 1000).map((row) => row['id'] as string)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
