import {
  CoreError,
  instantOfId,
  type KitModule,
  newId,
  objectActivity,
  recordAudit,
} from '@vertical-kit/core-audit'
import { type Caller, holds, requirePermission } from '@vertical-kit/core-audit/access'
import type { ActivityPage } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { ActivitySource, ContributedType } from '@vertical-kit/core-audit/objects'
import {
  openTestHost,
  recordStatements,
  refusalOf,
  type TestHost,
  type TestRequest,
} from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { beforeAll, describe, expect, test } from 'vitest'
import { idAt } from '../../src/audit/index.ts'
import { openDatabase, runSql } from '../harness.ts'
import { event } from './events.ts'
import { businessObjects, deleted, hidden, invoice, modulesOf, sources } from './timeline-host.ts'

/** Lists rows of `public.entries`. Tasks need no permission. */
const sourceOf = (type: ContributedType): ActivitySource => ({
  type,
  requireAccess(caller) {
    if (type === 'file' && holds(caller, 'system.files.off')) throw new CoreError('feature.disabled')
    if (type !== 'task') requirePermission(caller, `system.${type}s.read`)
  },
  select: ({ target, actorUserId, limit, within }) => sql`
    select id, at, actor_id from public.entries e
    where type = ${type} and target_id = ${target.id}::uuid
      ${actorUserId === null ? sql`` : sql`and actor_id = ${actorUserId}::uuid`}
      ${within(type === 'task' ? { id: sql`e.id` } : { id: sql`e.id`, at: sql`e.at` })}
    order by id desc limit ${limit}`,
  toContent: (row: { id: string; at: string; actor_id: string }) => ({
    id: row.id,
    // Without `at`, the time of an entry is that of its id: the two can be in different milliseconds.
    occurredAtUtc: type === 'task' ? instantOfId(row.id) : new Date(row.at).toISOString(),
    actor: { userId: row.actor_id, displayName: '', email: null },
    content: { [type === 'file' ? 'attachment' : type]: { id: row.id } },
  }),
  ...(type === 'note' && {
    async complete(
      _db: Db,
      { subject }: Caller,
      contents: readonly { readonly note: { readonly id: string } }[],
    ) {
      completed.push(contents.map(({ note }) => note.id))
      return contents.map(({ note }) => ({ note: { ...note, reader: subject } }))
    },
  }),
})

/** The notes of each page that were completed. */
const completed: (readonly string[])[] = []

const modules: readonly KitModule[] = [
  ...modulesOf(sources),
  ...(['note', 'file', 'task'] as const).map((type) => ({ name: `${type}s`, activity: sourceOf(type) })),
]

const statements = recordStatements()
let host: TestHost
let reader: TestRequest
let readerId: string

beforeAll(async () => {
  const fresh = await openDatabase()
  await runSql(
    fresh.url,
    'create table public.entries (type text, id uuid, target_id uuid, at timestamptz, actor_id uuid)',
  )
  host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database) => [
      objectActivity({ database: statements.observe(database), businessObjects, modules }),
    ],
  })
  reader = await host.as({
    subject: 'reader',
    permissions: ['system.audit.view', 'system.notes.read', 'system.files.read'],
  })
  const [user] = await host.database.read((db) =>
    db.execute<{ id: string }>(sql`select id from core_audit.users where subject = 'reader'`),
  )
  readerId = user?.id ?? ''
  return async () => {
    await host.close()
    await fresh.drop()
  }
})

type Query = Readonly<Record<string, string>>

const ask = (request: TestRequest, target: ReturnType<typeof invoice>, query: Query = {}) => {
  const { kind, typeCode, id } = target
  return request(
    'GET',
    `/api/business-objects/activity?${new URLSearchParams({ kind, typeCode, objectId: id, ...query })}`,
  )
}

async function page(request: TestRequest, target: ReturnType<typeof invoice>, query: Query = {}) {
  const response = await ask(request, target, query)
  expect(response.status).toBe(200)
  return (await response.json()) as ActivityPage
}

/** Adds an entry of each given type, in this order. Returns their types and ids, newest first. */
async function add(targetId: string, types: readonly string[], actorUserId: string | null = null) {
  const added: string[] = []
  for (const type of types) {
    added.unshift(
      await host.database.transaction(async (tx) => {
        if (type === 'audit') {
          await recordAudit(tx, event({ target: invoice(targetId), actorUserId }))
          const [row] = await tx.execute<{ id: string }>(
            sql`select id from core_audit.audit_events where target_id = ${targetId}::uuid order by id desc limit 1`,
          )
          return `audit ${row?.id}`
        }
        const [row] = await tx.execute<{ id: string }>(sql`
          insert into public.entries
          values (${type}, core_audit.event_id(), ${targetId}::uuid, clock_timestamp(), ${actorUserId ?? newId()}::uuid)
          returning id`)
        return `${type} ${row?.id}`
      }),
    )
  }
  return added
}

const shown = ({ items }: ActivityPage) => items.map(({ type, id }) => `${type} ${id}`)

const mixed = ['audit', 'note', 'note', 'file', 'audit', 'task', 'audit', 'note', 'file', 'audit', 'audit']

describe('the activity of an object', () => {
  test('contains all types in one list, newest first, with the item of each list', async () => {
    const target = invoice(newId())
    const added = await add(target.id, ['audit', 'note', 'file', 'task'], readerId)
    const result = await page(reader, target)
    expect(shown(result)).toEqual(added)
    expect(result.nextCursor).toBeNull()
    expect(result.references).toEqual({ [readerId]: { display: 'reader', target: null } })
    const actor = { userId: readerId, displayName: 'reader' }
    expect(result.items).toMatchObject([
      { type: 'task', actor, task: { id: result.items[0]?.id } },
      { type: 'file', actor, attachment: { id: result.items[1]?.id } },
      { type: 'note', actor, note: { id: result.items[2]?.id } },
      {
        type: 'audit',
        actor,
        event: { id: result.items[3]?.id, actionCode: 'things.changed', download: null },
      },
    ])
  })

  test('contains complete items: a source completes those of a page at once', async () => {
    const target = invoice(newId())
    const notes = (await add(target.id, mixed)).filter((entry) => entry.startsWith('note'))
    const ids = notes.map((entry) => entry.slice('note '.length))
    completed.length = 0
    const { items, nextCursor } = await page(reader, target, { types: 'notes,files,tasks', limit: '4' })
    expect(completed).toEqual([ids.slice(0, 1)])
    expect(items.flatMap(({ note }) => note ?? [])).toEqual([{ id: ids[0], reader: 'reader' }])
    await page(reader, target, { types: 'notes,files,tasks', limit: '4', cursor: nextCursor ?? '' })
    expect(completed).toEqual([ids.slice(0, 1), ids.slice(1)])
    await page(reader, target, { types: 'audit' })
    expect(completed).toHaveLength(2)
  })

  test('contains a file in the period in which it was attached, however long ago it was stored', async () => {
    const target = invoice(newId())
    const storedAt = idAt(Date.now() - 3_600_000)
    await host.database.statement((tx) =>
      tx.execute(sql`
        insert into public.entries
        values ('file', ${storedAt}::uuid, ${target.id}::uuid, clock_timestamp(), ${readerId}::uuid)`),
    )
    const fromUtc = new Date(Date.now() - 60_000).toISOString()
    expect(shown(await page(reader, target, { types: 'files', fromUtc }))).toEqual([`file ${storedAt}`])
    const untilUtc = fromUtc
    expect(shown(await page(reader, target, { types: 'files', untilUtc }))).toEqual([])
  })

  test('contains an event in exactly one of two adjacent periods, also if its id is ahead of its time', async () => {
    const target = invoice(newId())
    const midnight = Date.UTC(2026, 2, 2)
    // `uuidv7()` always ascends in a session, also after the clock went back.
    const id = idAt(midnight + 300)
    await host.database.statement((tx) =>
      tx.execute(sql`
        insert into core_audit.audit_events
          (id, module, target_kind, target_type_code, target_id, action_code, occurred_at)
        values (${id}::uuid, 'things', ${target.kind}, ${target.typeCode}, ${target.id}::uuid, 'things.changed',
          '2026-03-01T23:59:59.8Z')`),
    )
    const midnightUtc = new Date(midnight).toISOString()
    expect(shown(await page(reader, target, { untilUtc: midnightUtc }))).toEqual([`audit ${id}`])
    expect(shown(await page(reader, target, { fromUtc: midnightUtc }))).toEqual([])
  })

  test.each([1, 2, 3, 5, 100])('has each entry once on pages of %d', async (limit) => {
    const target = invoice(newId())
    const added = await add(target.id, mixed)
    await add(newId(), mixed)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query: Query = { limit: String(limit), ...(cursor === null ? {} : { cursor }) }
      const result: ActivityPage = await page(reader, target, query)
      seen.push(...shown(result))
      cursor = result.nextCursor
      // Entries after the first page never appear, not even of types that had no entry.
      await add(target.id, ['note', 'audit', 'task'])
    } while (cursor !== null)
    expect(seen).toEqual(added)
  })

  test('can be filtered by type, person and time', async () => {
    const target = invoice(newId())
    const others = await add(target.id, mixed)
    const own = await add(target.id, ['audit', 'note', 'file', 'task'], readerId)
    expect(shown(await page(reader, target, { types: 'notes,files' }))).toEqual(
      [...own, ...others].filter((entry) => /^(note|file)/.test(entry)),
    )
    expect(shown(await page(reader, target, { actor: readerId }))).toEqual(own)
    const { items } = await page(reader, target)
    for (const { occurredAtUtc } of items) {
      const from = await page(reader, target, { fromUtc: occurredAtUtc })
      const until = await page(reader, target, { untilUtc: occurredAtUtc })
      expect(shown(from)).toEqual(
        shown({ ...from, items: items.filter((one) => one.occurredAtUtc >= occurredAtUtc) }),
      )
      expect([...shown(from), ...shown(until)]).toEqual([...own, ...others])
    }
  })

  test('needs one statement for all types, and one for users', async () => {
    const target = invoice(newId())
    await add(target.id, [...mixed, ...mixed], readerId)
    await page(reader, target)
    statements.reset()
    await page(reader, target)
    expect(statements.count).toBe(2)
  })
})

describe('a type without the right of its own list', () => {
  const target = invoice(newId())
  beforeAll(() => add(target.id, mixed))
  const typesFor = async (permissions: readonly string[], query: Query = {}) => {
    const request = await host.as({ subject: newId(), permissions })
    return [...new Set((await page(request, target, query)).items.map(({ type }) => type))].toSorted()
  }

  test('is absent', async () => {
    expect(await typesFor([])).toEqual(['task'])
    expect(await typesFor(['system.notes.read'])).toEqual(['note', 'task'])
    expect(await typesFor(['document.trade.sales_invoice.view_audit'])).toEqual(['audit', 'task'])
    expect(await typesFor(['system.files.read', 'system.files.off'])).toEqual(['task'])
    expect(await typesFor(['system.notes.read'], { types: 'audit,notes' })).toEqual(['note'])
  })

  test.each([
    ['audit', [], 'permission.denied'],
    ['notes', [], 'permission.denied'],
    ['notes,files', [], 'permission.denied'],
    ['files', ['system.files.off'], 'feature.disabled'],
  ])('is an error if no type remains: %s', async (types, permissions, code) => {
    const request = await host.as({ subject: newId(), permissions })
    expect(await refusalOf(await ask(request, target, { types }))).toMatchObject({ code })
  })
})

describe('a request for activity', () => {
  test('about a hidden object is refused like one about a missing object', async () => {
    expect(await refusalOf(await ask(reader, invoice(hidden)))).toMatchObject({
      code: 'business_object.not_found',
    })
    const visitor = await host.as({ subject: 'visitor', permissions: [] })
    expect(await refusalOf(await ask(visitor, invoice(hidden)))).toMatchObject({
      code: 'business_object.not_found',
    })
  })

  test('about a deleted object shows only events, and only with system.audit.view', async () => {
    const target = invoice(newId())
    await add(target.id, mixed)
    deleted.add(target.id)
    expect(new Set((await page(reader, target)).items.map(({ type }) => type))).toEqual(new Set(['audit']))
    expect((await page(reader, target, { actor: newId() })).items).toEqual([])
    const clerk = await host.as({ subject: 'clerk', permissions: ['system.notes.read'] })
    expect((await ask(clerk, target)).status).toBe(404)
    // Do not reveal whether an object without events ever existed.
    const unknown = invoice(newId())
    deleted.add(unknown.id)
    expect((await ask(reader, unknown)).status).toBe(404)
    expect((await ask(reader, unknown, { actor: newId() })).status).toBe(404)
    expect((await ask(reader, target, { types: 'notes' })).status).toBe(404)
  })

  test.each([
    ['types', 'audit,x'],
    ['types', 'note'],
    ['actor', 'x'],
    ['fromUtc', 'today'],
    ['limit', '0'],
    ['cursor', 'x'],
  ])('with %s=%s is invalid', async (name, value) => {
    const response = await ask(reader, invoice(newId()), { [name]: value })
    expect(await refusalOf(response)).toMatchObject({ code: 'request.invalid' })
  })
})

test('two modules with the same type are rejected', () => {
  const twice = [...modules, { name: 'more notes', activity: sourceOf('note') }]
  expect(() => objectActivity({ database: host.database, businessObjects, modules: twice })).toThrow(
    TypeError,
  )
})
