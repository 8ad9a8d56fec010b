/**
 * Serves editor state, execution and replay of sales invoices on the bare server. Runs the statements of the host, and
 * pipelines a statement if the host pipelines it. Like the whole bare server, it checks no token, permission or input. It
 * also skips the comparison of versions and fingerprints, and the availability of actions. The list of actions is an
 * option, so that responses have the same size as those of the host.
 */
import { Hono } from 'hono'
import type postgres from 'postgres'
import { type Cause, type Row, reversePostings, writePosting } from './bare-ledger.ts'

export interface BareActionsOptions {
  readonly sql: postgres.Sql
  /** The id of the user that performs all changes. */
  readonly author: string
  /** The list of actions in every response. */
  readonly actions: unknown
}

const typeCode = 'trade.sales_invoice'

export function bareActions({ sql, author, actions }: BareActionsOptions): Hono {
  const columns = sql`id, type_code, number, display, status, version, payload, created_at, updated_at`
  const find = (id: string) => sql<[Row]>`
    select ${columns} from trade.documents where id = ${id}::uuid and type_code = ${typeCode}`
  const loadFacts = (db: postgres.ISql, id: string) => db`
    select (
      select coalesce(sum(entry.debit - entry.credit), 0.00)::text
      from trade.posting_entries entry
      where entry.open_item_id = ${id}::uuid
    ) as outstanding`
  const findExecution = (db: postgres.ISql, key: string) => db`
    select encode(fingerprint, 'hex') as fingerprint, result
    from document_actions.executions
    where actor_user_id = ${author}::uuid and idempotency_key = ${key}`

  return new Hono()
    .get('/:id/editor-state', async (c) => {
      const [row] = await find(c.req.param('id'))
      await loadFacts(sql, row.id)
      return c.json({ document: toDocument(row), documentVersion: row.version, actions })
    })
    .post('/:id/actions/:actionCode', async (c) => {
      const { id, actionCode } = c.req.param()
      const key = c.req.header('idempotency-key') ?? ''
      await c.req.json()
      const [, [known]] = await Promise.all([find(id), findExecution(sql, key)])
      if (known !== undefined) return c.json(JSON.parse(known['result']))
      const result = await sql.begin(async (tx) => {
        await Promise.all([
          tx`select pg_try_advisory_xact_lock(hashtextextended(${`${author}/${key}`}, 0)) as is_taken`,
          findExecution(tx, key),
        ])
        const [before] = await tx<[Row]>`
          select ${columns} from trade.documents where id = ${id}::uuid and type_code = ${typeCode}
          for no key update`
        await loadFacts(tx, id)
        const executionId = crypto.randomUUID()
        const cause = { tx, before, actionCode, executionId }
        await (actionCode === 'post' ? writePosting(cause) : reversePostings(cause))
        const [[after]] = await Promise.all([
          tx<[Row]>`
            update trade.documents
            set status = ${actionCode === 'post' ? 'Posted' : 'Draft'}, version = ${before.version + 1},
              payload = ${tx.json(before.payload as never)}, updated_at = clock_timestamp()
            where id = ${id}::uuid
            returning ${columns}`,
          loadFacts(tx, id),
        ])
        const answer = {
          executionId,
          actionCode,
          document: toDocument(after),
          documentVersion: after.version,
          actions,
          workCenterMayChange: true,
          createdDocument: null,
        }
        await record({ ...cause, author, key, after, answer: JSON.stringify(answer) })
        return answer
      })
      return c.json(result)
    })
}

const toDocument = (row: Row) => ({
  id: row.id,
  typeCode: row.type_code,
  number: row.number,
  display: row.display,
  status: row.status,
  payload: row.payload,
  createdAtUtc: row.created_at,
  updatedAtUtc: row.updated_at,
})

interface Execution extends Cause {
  readonly author: string
  readonly key: string
  readonly after: Row
  readonly answer: string
}

function record({ tx, author, key, before, after, actionCode, executionId, answer }: Execution) {
  const metadata = { executionId, version: after.version }
  const changes = [{ fieldPath: 'status', oldValue: before.status, newValue: after.status }]
  const data = {
    documentId: before.id,
    documentType: typeCode,
    actionCode,
    previousStatus: before.status,
    currentStatus: after.status,
    documentVersion: after.version,
  }
  return tx`
    with audit as (
      insert into core_audit.audit_events (
        id, module, target_kind, target_type_code, target_id,
        action_code, actor_user_id, correlation_id, metadata, changes
      )
      values (
        uuidv7(), 'document-actions', 'Document', ${typeCode}, ${before.id}::uuid,
        ${actionCode}, ${author}::uuid, 'bare', ${tx.json(metadata)}, ${tx.json(changes)}
      )
    ),
    event as (
      insert into core_audit.outbox_events (
        id, type, source, subject, actor_user_id, correlation_id, causation_id, schema_version, data
      )
      values (
        uuidv7(), 'document.action.completed', 'bare', ${`document/${typeCode}/${before.id}`}, ${author}::uuid,
        'bare', ${executionId}, 1, ${tx.json(data)}
      )
    )
    insert into document_actions.executions (
      id, actor_user_id, idempotency_key, fingerprint, document_type, document_id, action_code, result
    )
    values (
      ${executionId}::uuid, ${author}::uuid, ${key}, ${fingerprint}, ${typeCode}, ${before.id}::uuid, ${actionCode},
      ${answer}
    )`
}

const fingerprint = Buffer.alloc(32)
