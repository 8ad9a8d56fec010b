import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import type { Plan } from '../compare.ts'
import { type Finding, toFigure } from '../finding.ts'
import { bytesPerRow } from '../footprint.ts'
import { type Bench, openBench } from '../hosts.ts'
import { addUsers } from './add-users.ts'

const drained = 'outbox events that each create a task for 10 users'
const drainedByTwo = `${drained}, by two replicas`
const perEntry = 'disk per inbox entry'
const wide = 'creation of one task for 5,000 members of a role'
const drainedCount = 10_000

/** Measures the speed of event handlers: one task of a role for each of many orders, and one task for very many users. */
export async function measureDeliveries(plan: Plan): Promise<readonly Finding[]> {
  if (![drained, drainedByTwo, perEntry, wide].some(plan.isChosen)) return []
  const bench = await openBench({ isOnDisk: false })
  const setup = await openOrders(bench)
  const { sql } = setup
  try {
    // The seed already contains two users with this role, Clara and Carl.
    await addUsers(sql, { prefix: 'clerk', count: 8, roleCode: 'trade.clerk' })
    const figures: Finding[] = []
    const rate = async () => drainedCount / ((await handleOrders(sql, drainedCount)).spanMs / 1_000)
    if (plan.isChosen(drained) || plan.isChosen(perEntry)) {
      const rates = [await rate(), await rate(), await rate()]
      figures.push(toFigure(drained, rates, { unit: 'events/s', bound: { least: 2_000 } }))
      const value = await bytesPerRow(setup.databaseUrl, 'work_center.entries')
      figures.push(toFigure(perEntry, [value], { unit: 'bytes', bound: { most: 400 } }))
    }
    if (plan.isChosen(drainedByTwo)) {
      const replica = await setup.replicate()
      const rates = [await rate(), await rate(), await rate()]
      figures.push(toFigure(drainedByTwo, rates, { unit: 'events/s', bound: { least: 2_000 } }))
      await replica.stop()
    }
    if (plan.isChosen(wide)) {
      await addUsers(sql, { prefix: 'colleague', count: 4_990, roleCode: 'trade.clerk' })
      const samples: number[] = []
      for (let turn = 0; turn < 15; turn += 1) samples.push((await handleOrders(sql, 1)).spanMs)
      figures.push(toFigure(wide, samples, { unit: 'ms', bound: { most: 120 } }))
    }
    return figures
  } finally {
    await sql.end({ timeout: 5 })
    await bench.close()
  }
}

async function openOrders(bench: Bench) {
  const setup = await bench.setUp('bench_deliveries', {
    documents: 1,
    notesPerDocument: 0,
    attachmentsPerDocument: 0,
  })
  const sql = postgres(setup.databaseUrl, { max: 1, onnotice: () => {} })
  return { sql, databaseUrl: setup.databaseUrl, replicate: () => bench.replicate(setup) }
}

/** Commits orders that are ready for invoicing, with one event each, and waits until all events are handled. */
export async function handleOrders(
  sql: postgres.Sql,
  orderCount: number,
): Promise<{ readonly spanMs: number }> {
  const events = await sql<{ id: string }[]>`
    with orders as (
      insert into trade.documents (id, type_code, number, display, status, version, payload)
      select
        id, 'trade.sales_order', 'ORDER-' || id, 'Benchmark order', 'Posted', 2,
        jsonb_build_object('fields', jsonb_build_object(
          'customerId', id,
          'dueDate', '2026-12-31',
          'lines', jsonb_build_array(jsonb_build_object('itemId', id, 'quantity', '3.000', 'unitPrice', '24.90'))
        ))
      from (select uuidv7() as id from generate_series(1, ${orderCount}::int)) new
      returning id
    )
    insert into core_audit.outbox_events (id, type, source, subject, causation_id, schema_version, data)
    select uuidv7(), 'document.action.completed', 'bench', 'document/trade.sales_order/' || id, id, 1,
      jsonb_build_object(
        'documentId', id, 'documentType', 'trade.sales_order', 'actionCode', 'post',
        'previousStatus', 'Draft', 'currentStatus', 'Posted', 'documentVersion', 2
      )
    from orders
    returning id`
  const ids = events.map(({ id }) => id)
  for (;;) {
    await delay(100)
    const [row] = await sql<[{ handled: number; failed: number; span_ms: number }]>`
      select count(*) filter (where outcome = 'completed')::int as handled,
        count(*) filter (where outcome <> 'completed')::int as failed,
        (extract(epoch from max(ended_at) - min(started_at)) * 1000)::float8 as span_ms
      from core_audit.outbox_attempts
      where event_id = any(${ids}::uuid[])`
    if (row.failed > 0) throw new Error(`${row.failed} deliveries failed`)
    if (row.handled === orderCount) return { spanMs: row.span_ms }
  }
}
