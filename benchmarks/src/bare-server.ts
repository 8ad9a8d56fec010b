/**
 * The bare server, with which the host is compared. It uses Hono and postgres.js, and runs only the statements of the
 * endpoints. It does not check tokens, permissions or input. It runs as a separate process with the variables
 * DATABASE_URL and ACTIONS. ACTIONS is the list of actions in its responses, as JSON.
 */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import postgres from 'postgres'
import { bareActions } from './bare-actions.ts'
import { bareWorkCenter } from './work-center/bare-work-center.ts'

const databaseUrl = process.env['DATABASE_URL'] ?? ''
const sql = postgres(databaseUrl, { max: 10, onnotice: () => {}, connection: { TimeZone: 'UTC' } })
const kind = 'Document'
const typeCode = 'trade.sales_invoice'
const [clerk] = await sql`select id from core_audit.users where subject = 'clerk'`
const author = clerk?.['id'] as string
const targetExists = (id: string) => sql`
  select 1 from trade.documents where id = ${id}::uuid and type_code = ${typeCode}`

const app = new Hono()

app.get('/api/features', async (c) => {
  const [user] = await sql`select id, subject, display_name from core_audit.users where subject = ${'clerk'}`
  return c.json(user)
})

app.get('/api/notes', async (c) => {
  const id = c.req.query('objectId') ?? ''
  await targetExists(id)
  const items = await sql`
    select n.id, n.target_kind, n.target_type_code, n.target_id, n.text, n.version, n.deleted_at is not null as is_deleted,
      n.created_at, n.created_by_user_id, author.display_name as created_by_display_name,
      n.updated_at, n.updated_by_user_id, editor.display_name as updated_by_display_name
    from notes.notes n
    left join core_audit.user_names author on author.id = n.created_by_user_id
    left join core_audit.user_names editor on editor.id = n.updated_by_user_id
    where n.target_id = ${id}::uuid and n.target_type_code = ${typeCode} and n.target_kind = ${kind}
      and n.deleted_at is null
    order by n.id desc
    limit 51`
  return c.json({ items: items.slice(0, 50), nextCursor: null })
})

app.get('/api/attachments', async (c) => {
  const id = c.req.query('objectId') ?? ''
  await targetExists(id)
  const items = await sql`
    select a.id, a.target_kind, a.target_type_code, a.target_id, a.file_name, a.content_type, a.size_bytes, a.status,
      a.created_at, a.created_by_user_id, author.display_name as created_by_display_name, a.completed_at
    from attachments.attachments a
    left join core_audit.user_names author on author.id = a.created_by_user_id
    where a.target_id = ${id}::uuid and a.target_type_code = ${typeCode} and a.target_kind = ${kind}
      and a.status = 'ready'
    order by a.id desc
    limit 51`
  return c.json({ items: items.slice(0, 50), nextCursor: null })
})

app.get('/api/business-objects/content-summary', async (c) => {
  const id = c.req.query('objectId') ?? ''
  await targetExists(id)
  const [counts] = await sql`
    select
      (
        select count(*) from attachments.attachments a
        where a.target_id = ${id}::uuid and a.target_type_code = ${typeCode} and a.target_kind = ${kind}
          and a.status = 'ready'
      )::int as attachments,
      (
        select count(*) from notes.notes n
        where n.target_id = ${id}::uuid and n.target_type_code = ${typeCode} and n.target_kind = ${kind}
          and n.deleted_at is null
      )::int as notes`
  return c.json(counts)
})

app.post('/api/notes', async (c) => {
  const { target, text } = await c.req.json()
  await targetExists(target.id)
  const changes = [{ fieldPath: 'text', oldValue: null, newValue: text }]
  const [note] = await sql`
    with audit as (
      insert into core_audit.audit_events (
        id, module, target_kind, target_type_code, target_id,
        action_code, actor_user_id, correlation_id, metadata, changes
      )
      values (
        uuidv7(), 'notes', ${kind}, ${typeCode}, ${target.id}::uuid,
        'notes.created', ${author}::uuid, 'bare', ${sql.json({ version: 1 })}, ${sql.json(changes)}
      )
    )
    insert into notes.notes (
      id, target_kind, target_type_code, target_id, text, created_by_user_id, updated_by_user_id
    )
    values (uuidv7(), ${kind}, ${typeCode}, ${target.id}::uuid, ${text}, ${author}::uuid, ${author}::uuid)
    returning id, version, created_at`
  return c.json({ ...note, target, text }, 201)
})

const actions: unknown = JSON.parse(process.env['ACTIONS'] ?? '[]')
app.route(`/api/documents/${typeCode}`, bareActions({ sql, author, actions }))
app.route('/api/work-center', bareWorkCenter(sql))

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) => {
  console.log(`ready ${JSON.stringify({ url: `http://127.0.0.1:${port}` })}`)
})
process.once('SIGTERM', async () => {
  server.close()
  await sql.end({ timeout: 1 })
  process.exit(0)
})
