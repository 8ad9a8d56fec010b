import {
  type AuditSource,
  auditTimeline,
  type KitModule,
  type NewAuditEvent,
  newId,
  recordAudit,
} from '@vertical-kit/core-audit'
import { holds } from '@vertical-kit/core-audit/access'
import { AuditEventPage } from '@vertical-kit/core-audit/contract'
import { type BusinessObjectTypes, createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { openTestHost, refusalOf, type TestHost, type TestRequest } from '@vertical-kit/core-audit/testing'
import * as v from 'valibot'
import { expect } from 'vitest'
import { openDatabase } from '../harness.ts'

type Target = NewAuditEvent['target']

/** The only object that no caller can read. */
export const hidden = newId()

/** Ids of deleted objects. */
export const deleted = new Set<string>()

const exists: BusinessObjectTypes['exists'] = async (_db, { id }) => !deleted.has(id)
const isReadable: BusinessObjectTypes['isReadable'] = async (_db, _caller, { id }) =>
  id !== hidden && !deleted.has(id)

/** Business objects of three kinds; journal entries have no `exists` check. */
export const businessObjects = createBusinessObjects([
  { kind: 'CatalogItem', typeCodes: ['trade.item'], isReadable, exists },
  { kind: 'Document', typeCodes: ['trade.sales_invoice', 'trade.sales_order'], isReadable, exists },
  { kind: 'GeneralJournalEntry', typeCodes: ['general_journal_entry'], isReadable },
])

/**
 * The sources of four modules: `people` contains users and roles; `things` is visible to every caller and has downloads; `secrets` requires a permission; the
 * feature of `off` is off.
 */
export const sources: readonly AuditSource[] = [
  {
    module: 'things',
    isVisibleTo: () => true,
    metadataFor: (caller, { secret, ...known }) =>
      secret !== undefined && holds(caller, 'system.secrets.read') ? { ...known, secret } : known,
    downloadOf: ({ metadata }) =>
      metadata?.['attachmentId'] === undefined ? null : { attachmentId: String(metadata['attachmentId']) },
  },
  {
    module: 'people',
    isVisibleTo: () => true,
    peopleIn: ({ metadata }) => ({
      userIds: [metadata?.['userId']],
      roleIds: [metadata?.['roleId'], 'no id'],
    }),
  },
  { module: 'secrets', isVisibleTo: (caller) => holds(caller, 'system.secrets.read') },
  { module: 'off', isEnabled: false, isVisibleTo: () => true },
]

export const invoice = (id: string): Target => ({ kind: 'Document', typeCode: 'trade.sales_invoice', id })
export const item = (id: string): Target => ({ kind: 'CatalogItem', typeCode: 'trade.item', id })
export const journal = (id: string): Target => ({
  kind: 'GeneralJournalEntry',
  typeCode: 'general_journal_entry',
  id,
})

/** Returns one module for each source. */
export const modulesOf = (sources: readonly AuditSource[]): readonly KitModule[] =>
  sources.map((auditSource, index) => ({ name: `source-${index}`, auditSource }))

/** Opens a host with timelines and its own database. */
export async function openTimelineHost(): Promise<TestHost> {
  const fresh = await openDatabase()
  const host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database) => [auditTimeline({ database, businessObjects, modules: modulesOf(sources) })],
  })
  return {
    ...host,
    async close() {
      await host.close()
      await fresh.drop()
    },
  }
}

export const record = (host: TestHost, ...events: readonly NewAuditEvent[]): Promise<void> =>
  host.database.transaction((tx) => recordAudit(tx, ...events))

type Query = Readonly<Record<string, string>>

/** Requests the timeline of one object. */
export async function ask(request: TestRequest, target: Target, more: Query = {}): Promise<Response> {
  const { kind, typeCode, id } = target
  return request('GET', `/api/audit/events?${new URLSearchParams({ kind, typeCode, objectId: id, ...more })}`)
}

/** Requests a page of one object's timeline, and returns the page, parsed with the contract. */
export async function page(request: TestRequest, target: Target, more: Query = {}): Promise<AuditEventPage> {
  const response = await ask(request, target, more)
  expect(response.status).toBe(200)
  return v.parse(AuditEventPage, await response.json())
}

/** Requests a timeline, and returns the problem details of the refusal without the type, the title and the detail. */
export async function refusal(request: TestRequest, target: Target, more: Query = {}): Promise<object> {
  const {
    type: _type,
    title: _title,
    detail: _detail,
    ...rest
  } = await refusalOf(await ask(request, target, more))
  return rest
}
