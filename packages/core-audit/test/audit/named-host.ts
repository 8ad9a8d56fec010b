import { auditTimeline, type NewAuditEvent, newId, recordAudit } from '@vertical-kit/core-audit'
import { type Caller, holds } from '@vertical-kit/core-audit/access'
import type { AuditEventPage } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { type BusinessObjectTypes, createBusinessObjects } from '@vertical-kit/core-audit/objects'
import {
  openTestHost,
  recordStatements,
  type StatementRecord,
  type TestHost,
  type TestRequest,
} from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import { expect } from 'vitest'
import { openDatabase, runSql } from '../harness.ts'
import { modulesOf, sources } from './timeline-host.ts'

/** Returns a type of objects in the table `public.objects`. Reading one requires `<kind>.<type>.view`. */
function listed(
  kind: BusinessObjectTypes['kind'],
  typeCode: string,
  more: Partial<BusinessObjectTypes> = {},
): BusinessObjectTypes {
  const isHidden = (name: string) => name.startsWith('Secret')
  const mayRead = (caller: Caller) => holds(caller, `${kind.toLowerCase()}.${typeCode}.view`)
  return {
    ...{ kind, typeCodes: [typeCode], mayRead },
    async findAll(db, caller, references) {
      const rows = await db.execute<{ id: string; name: string }>(sql`
        select id, name from public.objects
        where type_code = ${typeCode} and id = any(${sql.param(references.map(({ id }) => id))}::uuid[])`)
      return rows.map(({ id, name }) => ({
        ...{ typeCode, id, display: name, target: { code: typeCode, parameters: { id } } },
        isReadable: mayRead(caller) && !isHidden(name),
      }))
    },
    async isReadable(db, caller, { id }) {
      const rows = await db.execute<{ name: string }>(
        sql`select name from public.objects where type_code = ${typeCode} and id = ${id}::uuid`,
      )
      return mayRead(caller) && rows.some(({ name }) => !isHidden(name))
    },
    async exists(db, { id }) {
      const rows = await db.execute(
        sql`select from public.objects where type_code = ${typeCode} and id = ${id}::uuid`,
      )
      return rows.length > 0
    },
    ...more,
  }
}

export const customerType = 'trade.customer'
export const orderType = 'trade.order'

/** Orders refer to customers, payments and users. */
const businessObjects = createBusinessObjects([
  listed('CatalogItem', customerType),
  listed('Document', orderType, {
    references: {
      [orderType]: {
        'fields.customerId': customerType,
        'fields.lines.customerId': customerType,
        'metadata.approverId': 'user',
      },
    },
  }),
])

/** The permissions to read everything in these tests. */
export const readsAll = [
  'system.audit.view',
  `catalogitem.${customerType}.view`,
  `document.${orderType}.view`,
]

/** A host whose objects have names. */
export interface NamedHost extends TestHost {
  readonly url: string
  /** The statements of the timeline and the search. */
  readonly statements: StatementRecord
  record(...events: readonly NewAuditEvent[]): Promise<void>
  addObject(typeCode: string, name: string): Promise<string>
  userId(subject: string): Promise<string>
}

export async function openNamedHost(config: { readonly poolMax?: number } = {}): Promise<NamedHost> {
  const fresh = await openDatabase()
  await runSql(fresh.url, 'create table public.objects (id uuid primary key, type_code text, name text)')
  const statements = recordStatements()
  const host = await openTestHost({
    databaseUrl: fresh.url,
    database: config,
    modules: (database: Database) => [
      auditTimeline({
        database: statements.observe(database),
        businessObjects,
        modules: modulesOf(sources),
      }),
      // Tests with a real connection need the token of a user.
      {
        name: 'token',
        router: new Hono<KitEnv>().get('/api/token', (c) => c.text(c.req.header('Authorization') ?? '')),
      },
    ],
  })
  const { database } = host
  return {
    ...host,
    ...{ url: fresh.url, statements },
    record: (...events) => database.transaction((tx) => recordAudit(tx, ...events)),
    async addObject(typeCode, name) {
      const id = newId()
      await database.statement((tx) =>
        tx.execute(sql`insert into public.objects values (${id}::uuid, ${typeCode}, ${name})`),
      )
      return id
    },
    async userId(subject) {
      const [user] = await database.read((db) =>
        db.execute<{ id: string }>(sql`select id from core_audit.users where subject = ${subject}`),
      )
      return user?.id ?? ''
    },
    async close() {
      await host.close()
      await fresh.drop()
    },
  }
}

export const orderOf = (id: string) => ({ kind: 'Document', typeCode: orderType, id }) as const
export const customerOf = (id: string) => ({ kind: 'CatalogItem', typeCode: customerType, id }) as const

/** Requests a page of events and returns its body. */
export async function pageAt(
  request: TestRequest,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<AuditEventPage> {
  const response = await request('GET', `${path}?${new URLSearchParams(query)}`)
  expect(response.status).toBe(200)
  return (await response.json()) as AuditEventPage
}
