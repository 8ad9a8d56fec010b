import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import { bookViolations } from '../trade/ledger/book-violations.ts'
import type { AnswerBody, Balancer } from './balancer.ts'
import { type Journal, targetOf } from './clients.ts'
import type { Counts } from './drill.ts'
import type { World } from './world.ts'

/** Queries that must return no row after every drill. */
const violations = {
  ...bookViolations,
  'executions without exactly one audit event': sql`
    select x.id
    from document_actions.executions x
    left join core_audit.audit_events a
      on a.module = 'document-actions' and a.metadata ->> 'executionId' = x.id::text
    group by x.id
    having count(a.id) <> 1`,
  'audit events of actions without an execution': sql`
    select a.id
    from core_audit.audit_events a
    where a.module = 'document-actions' and a.metadata ? 'executionId'
      and not exists (select from document_actions.executions x where x.id::text = a.metadata ->> 'executionId')`,
  'executions without exactly one event in the outbox': sql`
    select x.document_id
    from document_actions.executions x
    left join core_audit.outbox_events e
      on e.type = 'document.action.completed' and e.subject = 'document/' || x.document_type || '/' || x.document_id
    group by x.document_id
    having count(distinct e.id) <> count(distinct x.id)`,
  'events that were not handled': sql`
    select event_id from core_audit.outbox_deliveries where state <> 'completed'`,
  'notes without exactly one audit event for each version': sql`
    select n.id
    from notes.notes n
    left join core_audit.audit_events a on a.module = 'notes' and a.metadata ->> 'noteId' = n.id::text
    group by n.id, n.version
    having count(a.id) <> n.version`,
  'ready files without exactly one audit event of their completion': sql`
    select f.id
    from attachments.attachments f
    left join core_audit.audit_events a
      on a.action_code = 'attachments.upload_completed' and a.metadata ->> 'attachmentId' = f.id::text
    where f.status = 'ready'
    group by f.id
    having count(a.id) <> 1`,
} as const satisfies Record<string, SQL>

/**
 * Compares the data with what the clients know. Waits until the outbox is empty, because hosts handle events after the
 * request.
 *
 * @throws {Error} with all violations
 */
export async function checkInvariants(world: World): Promise<Counts> {
  const { journal } = world.clients
  const token = await world.token('manager')
  const failures: string[] = [...world.ended().map((host) => `a host ended by itself: ${host}`)]
  const expectNone = (what: string, found: readonly unknown[]): void => {
    if (found.length > 0)
      failures.push(`${found.length} ${what}, for example ${JSON.stringify(found.slice(0, 3))}`)
  }
  const database = createDatabase({ ...databaseDefaults, url: world.databaseUrl, poolMax: 1 })
  const rows = <Row extends Record<string, unknown>>(query: SQL) =>
    database.read((db) => db.execute<Row>(query))
  try {
    await untilOutboxIsEmpty(() =>
      rows<{ pending: number }>(
        sql`select count(*)::int as pending from core_audit.outbox_deliveries where state = 'pending'`,
      ),
    )
    for (const [what, query] of Object.entries(violations)) expectNone(what, [...(await rows(query))])
    const notes = await rows<{ text: string; count: number }>(
      sql`select text, count(*)::int as count from notes.notes group by text`,
    )
    expectNone('notes with a wrong number of copies', wrongNotes(journal, notes))
    const executions = await rows<{ id: string; document_id: string }>(
      sql`select id, document_id from document_actions.executions`,
    )
    expectNone(
      'acknowledged executions that are missing or differ',
      [...journal.executions].filter(
        ([documentId, { executionId }]) =>
          executions.filter((row) => row.document_id === documentId && row.id === executionId).length !== 1,
      ),
    )
    const tasks = await rows<{ entity_id: string }>(
      sql`select entity_id from work_center.tasks where code = 'trade.collect_payment' and closed_at is null`,
    )
    expectNone(
      'posted invoices without exactly one open task',
      [...journal.executions.keys()].filter(
        (documentId) => tasks.filter((task) => task.entity_id === documentId).length !== 1,
      ),
    )
    const claims = await rows<{ id: string; claimed_by_user_id: string }>(
      sql`select id, claimed_by_user_id from work_center.tasks where claimed_by_user_id is not null`,
    )
    const claimers = new Map(claims.map((row) => [row.id, row.claimed_by_user_id]))
    expectNone(
      'acknowledged claims that are lost',
      [...journal.claims].filter(([taskId, userId]) => claimers.get(taskId) !== userId),
    )
  } finally {
    await database.close()
  }
  expectNone('completed files with other bytes', await wrongFiles(world.balancer, journal, token))
  expectNone('repeated requests with another result', await wrongReplays(world.balancer, journal))
  expectNone('counts that differ from their lists', await wrongCounts(world))
  expectNone('answers that no client should get', world.balancer.traffic.surprises)
  if (failures.length > 0) throw new Error(failures.join('\n'))
  return {
    'notes acknowledged': [...journal.notes.values()].filter((note) => note.isAcknowledged).length,
    'notes with an unknown outcome': [...journal.notes.values()].filter((note) => !note.isAcknowledged)
      .length,
    'files completed': journal.files.size,
    'actions executed': journal.executions.size,
    'tasks claimed': journal.claims.size,
  }
}

async function untilOutboxIsEmpty(
  read: () => Promise<readonly { readonly pending: number }[]>,
): Promise<void> {
  const limit = AbortSignal.timeout(120_000)
  for (;;) {
    const [row] = await read()
    if (row?.pending === 0) return
    await delay(200)
    if (limit.aborted) throw new Error(`${row?.pending} events are still pending`)
  }
}

/** An acknowledged note exists once. A note with an unknown outcome exists at most once. */
function wrongNotes(
  { notes }: Journal,
  stored: readonly { readonly text: string; readonly count: number }[],
): readonly string[] {
  const counts = new Map(stored.map(({ text, count }) => [text, count]))
  return [...notes].flatMap(([text, { isAcknowledged }]) => {
    const count = counts.get(text) ?? 0
    return count === 1 || (count === 0 && !isAcknowledged) ? [] : [text]
  })
}

async function wrongFiles(balancer: Balancer, { files }: Journal, token: string): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const [id, sha256] of files) {
    const path = `/api/attachments/${id}/download`
    const { body } = await balancer.untilAnswered({ method: 'POST', path, token })
    const bytes = await (await fetch(body.url)).arrayBuffer()
    if (createHash('sha256').update(Buffer.from(bytes)).digest('hex') !== sha256) wrong.push(id)
  }
  return wrong
}

/** A repeated request with the same key returns the first result. */
async function wrongReplays(balancer: Balancer, { executions }: Journal): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const [documentId, { executionId, request }] of executions) {
    const { headers, body } = await balancer.untilAnswered(request)
    if (headers.get('idempotent-replayed') !== 'true' || body.executionId !== executionId)
      wrong.push(documentId)
  }
  return wrong
}

/** Compares the counts of the Work Center and of the documents with the complete lists. */
async function wrongCounts({ balancer, clients, token }: World): Promise<readonly string[]> {
  const wrong: string[] = []
  const compare = (what: string, count: unknown, listed: unknown): void => {
    if (!isDeepStrictEqual(count, listed)) wrong.push(`${what}: ${count} instead of ${listed}`)
  }
  for (const user of ['clerk', 'clerk2', 'manager']) {
    const get = getter(balancer, await token(user))
    const summary = await get('/api/work-center/summary')
    compare(
      `${user}: attention`,
      summary['attentionCount'],
      await length(get, '/api/work-center/items?tab=attention'),
    )
    compare(
      `${user}: open tasks`,
      summary['openTaskCount'],
      await length(get, '/api/work-center/items?tab=tasks'),
    )
  }
  const get = getter(balancer, await token('clerk'))
  for (const documentId of new Set([...clients.journal.notes.values()].map((note) => note.documentId))) {
    const query = String(new URLSearchParams({ ...targetOf(documentId), objectId: documentId }))
    const summary = await get(`/api/business-objects/content-summary?${query}`)
    compare(`${documentId}: notes`, summary['notes'], await length(get, `/api/notes?${query}`))
    const files = await length(get, `/api/attachments?${query}&status=ready`)
    compare(`${documentId}: attachments`, summary['attachments'], files)
  }
  return wrong
}

type Get = (path: string) => Promise<AnswerBody>

const getter =
  (balancer: Balancer, token: string): Get =>
  async (path) =>
    (await balancer.untilAnswered({ method: 'GET', path, token })).body

/** Returns the number of items on all pages of a list. */
async function length(get: Get, path: string): Promise<number> {
  let [count, cursor] = [0, '']
  do {
    const page = await get(`${path}&limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
    count += page.items.length
    cursor = page.nextCursor ?? ''
  } while (cursor !== '')
  return count
}
