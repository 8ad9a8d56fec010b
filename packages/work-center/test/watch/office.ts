import { type KitModule, newId, recordAudit } from '@vertical-kit/core-audit'
import { type Caller, holds } from '@vertical-kit/core-audit/access'
import { type BusinessObjectReference, Id } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import type { EventDescriptor } from '@vertical-kit/core-audit/outbox'
import { openTestHost, type TestHost } from '@vertical-kit/core-audit/testing'
import { createWorkCenter, type WatchOptions } from '@vertical-kit/work-center'
import { sql } from 'drizzle-orm/sql'
import * as v from 'valibot'
import { expect } from 'vitest'
import { pooled } from '../../../../vitest.pooled-database.ts'
import type { VersionChanges } from '../../src/inbox/version-changes.ts'
import { config } from '../desk.ts'
import { openDatabase, page } from '../harness.ts'
import { addTradeRoles, type Person } from '../people.ts'

/** A host with invoices that users can follow, and with an audit source whose events only some users may see. */
export interface Office extends TestHost {
  readonly databaseUrl: string
  readonly announced: VersionChanges[]
  addInvoice(): Promise<BusinessObjectReference>
  /** Adds an invoice that these users follow. */
  followed(...followers: readonly Person[]): Promise<BusinessObjectReference>
  /** Hides an invoice from a user, or shows it again. */
  hide(invoice: BusinessObjectReference, person: Person): Promise<void>
  show(invoice: BusinessObjectReference, person: Person): Promise<void>
  /** Makes the description of an invoice fail. */
  breakDescription(invoice: BusinessObjectReference): void
  repairDescription(invoice: BusinessObjectReference): void
  /** Commits an audit event of the module `trade`, or of another one. */
  act(actor: Person | null, invoice: BusinessObjectReference, module?: string): Promise<void>
  /** Runs the worker once. */
  followOnce(): Promise<void>
  /** Runs the worker until it has handled all events that have committed so far. Never ends during an open transaction with one. */
  follow(): Promise<void>
  /** Handles all events of the outbox. */
  deliver(): Promise<void>
}

/** The permission to see the events of the module `secrets`. */
const seeSecrets = 'system.secrets.view'

export const mentioned = {
  type: 'notes.mentioned',
  schema: v.object({
    noteId: Id,
    target: v.object({ kind: v.literal('Document'), typeCode: v.string(), id: Id }),
    userIds: v.array(Id),
  }),
} satisfies EventDescriptor

export interface OfficeOptions {
  readonly offersMentions?: boolean
  observe?(database: Database): Database
}

export async function openOffice(options: OfficeOptions = {}): Promise<Office> {
  const { offersMentions = true } = options
  const fresh = await openDatabase()
  const announced: VersionChanges[] = []
  let parts: readonly KitModule[] = []
  let processing: KitModule | undefined
  const host = await openTestHost({
    databaseUrl: pooled(fresh.url).url,
    database: pooled(fresh.url),
    administratorRoleCodes: ['trade.administrator'],
    modules(pool, outbox) {
      const database = options.observe?.(pool) ?? pool
      processing = outbox.processing
      const identity = { administratorRoleCodes: ['trade.administrator'] }
      const announce = (changes: VersionChanges) => void announced.push(changes)
      const common = { database, outbox, config, identity, announce, definitions: [], eventHandlers: [] }
      parts = [createWorkCenter({ ...common, watch: { ...watch, offersMentions } })]
      return parts
    },
  })
  await addTradeRoles(host.database)
  await host.database.transaction(async (tx) => {
    await tx.execute(
      sql`create table public.invoices (id uuid primary key, hidden_from text[] not null default '{}')`,
    )
  })
  const run = async (workers: KitModule['workers'], name: string): Promise<void> => {
    const worker = workers?.find((one) => one.name === name)
    if (worker === undefined) throw new Error(`no worker ${name}`)
    await worker.runOnce(new AbortController().signal)
  }
  const followOnce = () => run(parts[0]?.workers, 'work-center.watch')
  const hasUnhandledEvents = async (): Promise<boolean> => {
    const rows = await host.database.read((db) =>
      db.execute(sql`
        select from work_center.watch_position p
        where exists (select from work_center.watches)
          and exists (select from core_audit.audit_events e where e.id > p.last_event_id)`),
    )
    return rows.length > 0
  }
  const follow = async (): Promise<void> => {
    // An event is handled after a look in a later millisecond, and after one that proves that its transaction has ended.
    do await followOnce()
    while (await hasUnhandledEvents())
  }
  await follow()
  const addInvoice = async (): Promise<BusinessObjectReference> => {
    const id = newId()
    await host.database.statement((tx) =>
      tx.execute(sql`insert into public.invoices (id) values (${id}::uuid)`),
    )
    return { kind: 'Document', typeCode: 'trade.sales_invoice', id }
  }
  return {
    ...host,
    databaseUrl: fresh.url,
    announced,
    followOnce,
    follow,
    deliver: () => run(processing?.workers, 'outbox.work-center'),
    addInvoice,
    async followed(...followers) {
      const invoice = await addInvoice()
      for (const person of followers) expect((await put(person, invoice)).status).toBe(204)
      return invoice
    },
    async hide({ id }, { subject }) {
      await host.database.statement((tx) =>
        tx.execute(
          sql`update public.invoices set hidden_from = array_append(hidden_from, ${subject}) where id = ${id}::uuid`,
        ),
      )
    },
    async show({ id }, { subject }) {
      await host.database.statement((tx) =>
        tx.execute(sql`
          update public.invoices set hidden_from = array_remove(hidden_from, ${subject}) where id = ${id}::uuid`),
      )
    },
    breakDescription: ({ id }) => void broken.add(id),
    repairDescription: ({ id }) => void broken.delete(id),
    async act(actor, target, module = 'trade') {
      await host.database.transaction((tx) =>
        recordAudit(tx, {
          ...{ module, target, actionCode: `${module}.changed`, correlationId: null },
          actorUserId: actor?.userId ?? null,
        }),
      )
    },
    async close() {
      await host.close()
      await fresh.drop()
    },
  }
}

/** The path of the requests with which a user follows an object. */
export const watchPath = ({ kind, typeCode, id }: BusinessObjectReference): string =>
  `/api/business-objects/watch?kind=${kind}&typeCode=${typeCode}&objectId=${id}`

export const put = (person: Person, invoice: BusinessObjectReference) =>
  person.request('PUT', watchPath(invoice))

/** Returns the titles of a user's notifications about an invoice. */
export async function newsOf(person: Person, { id }: BusinessObjectReference): Promise<readonly string[]> {
  const { items } = await page(person.request, 'tab=notifications&limit=100')
  return items.filter(({ source }) => source.entityId === id).map(({ title }) => title)
}

/** The ids of invoices that cannot be described. */
const broken = new Set<string>()

/** The followed objects of an office. */
export const watch: WatchOptions = {
  modules: [
    { auditSource: { module: 'trade', isVisibleTo: () => true } },
    { auditSource: { module: 'off', isEnabled: false, isVisibleTo: () => true } },
    { auditSource: { module: 'secrets', isVisibleTo: (caller: Caller) => holds(caller, seeSecrets) } },
  ],
  mentioned,
  async describe(_db, references) {
    if (references.some(({ id }) => broken.has(id))) throw new Error('The row of the invoice is damaged')
    return new Map(
      references.map(({ typeCode, id }) => [
        id,
        {
          source: {
            resourceKind: 'document',
            resourceCode: typeCode,
            entityId: id,
            title: 'Invoice 7',
            subtitle: null,
          },
          target: { code: typeCode, parameters: { documentId: id } },
        },
      ]),
    )
  },
  businessObjects: createBusinessObjects([
    {
      ...{ kind: 'Document', typeCodes: ['trade.sales_invoice'] },
      isReadable: async (db, caller, { id }) => {
        if (!holds(caller, 'document.trade.sales_invoice.view')) return false
        const rows = await db.execute(sql`
          select from public.invoices where id = ${id}::uuid and not ${caller.subject} = any(hidden_from)`)
        return rows.length > 0
      },
      async areReadable(db, attempts) {
        const rows = await db.execute<{ is_readable: boolean }>(sql`
          select i.id is not null and a.may_view as is_readable
          from jsonb_to_recordset(${JSON.stringify(
            attempts.map(({ caller, reference }, place) => ({
              ...{ place, id: reference.id, subject: caller.subject },
              may_view: holds(caller, 'document.trade.sales_invoice.view'),
            })),
          )}::jsonb) a (place int, id uuid, subject text, may_view boolean)
          left join public.invoices i on i.id = a.id and not a.subject = any(i.hidden_from)
          order by a.place`)
        return rows.map((row) => row.is_readable)
      },
    },
  ]),
}
