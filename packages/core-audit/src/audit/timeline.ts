import { Hono } from 'hono'
import { type Caller, holds, requirePermission } from '../access/caller.ts'
import type { PermissionDefinition } from '../access/permission.ts'
import type { Database, Db } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { KitModule } from '../module.ts'
import { requireAuditAccess, viewAllAudit } from '../objects/audit-access.ts'
import type { BusinessObjects } from '../objects/business-objects.ts'
import { type BusinessObjectReference, targetOf } from '../objects/contract.ts'
import { version } from '../version.ts'
import { type AuditEvent, AuditEventPage, ListAuditEventsQuery } from './contract.ts'
import { knownPartitions } from './known-partitions.ts'
import { listAuditEvents, type StoredAuditEvent } from './queries/list-audit-events.ts'
import { securityKind, securityModule, storedSecurityTarget } from './security-events.ts'

export interface AuditTimelineOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  /** All modules of the host. Timelines show only events of modules with an `auditSource`. */
  readonly modules: readonly KitModule[]
}

const permissions: readonly PermissionDefinition[] = [
  {
    permission: viewAllAudit,
    displayName: 'View audit timelines',
    group: 'Audit',
    description:
      'Read the audit timeline of every object the user may read, of deleted objects, and of roles, users and outbox events.',
  },
]

/**
 * Creates the module with the route `GET /api/audit/events`. The route returns the events of one business object, role,
 * user or outbox event, newest first. It returns only events that the caller is allowed to see.
 * @throws {TypeError} if two modules have the same `auditSource.module`, because only one module can decide which callers
 *   see these events
 */
export function auditTimeline(options: AuditTimelineOptions): KitModule {
  const registered = options.modules.flatMap(({ auditSource }) => auditSource ?? [])
  const sources = new Map(registered.map((source) => [source.module, source]))
  if (sources.size < registered.length) throw new TypeError('modules: auditSource.module must be unique')
  const partitions = knownPartitions(options.database)
  const router = new Hono<KitEnv>().get(
    '/api/audit/events',
    api({
      operationId: 'listAuditEvents',
      tag: 'Audit',
      summary: 'The audit timeline of one object, newest first.',
      description:
        'The kind `Security` lists the changes of one role (`security.role`), user (`security.user`), outbox event ' +
        '(`outbox.event`) or partition of the audit log (`audit.partition`). These changes and the timelines of deleted objects require `system.audit.view`.',
      query: ListAuditEventsQuery,
      responses: { 200: { description: 'One page', schema: AuditEventPage } },
      errors: ['permission.denied', 'business_object.unsupported', 'business_object.not_found'],
    }),
    async (c) => {
      const query = c.req.valid('query')
      const caller = c.get('caller')
      const target = targetOf(query)
      const paging = { limit: query.limit, cursor: query.cursor ?? null }
      if (query.kind === securityKind) {
        requirePermission(caller, viewAllAudit)
        const stored = storedSecurityTarget(target.typeCode, target.id)
        const page = await options.database.read(
          async (db) =>
            listAuditEvents(db, await partitions(db), {
              ...paging,
              target: stored,
              modules: [securityModule],
            }),
          caller.since,
        )
        return c.json(toBody(page, ({ module: _, ...event }) => ({ ...event, target, download: null })))
      }
      const visible = registered.filter((source) => source.isVisibleTo(caller)).map((source) => source.module)
      const [page, state] = await options.database.read(async (db) => {
        const found = await requireTimeline(db, options.businessObjects, { caller, target })
        const events = await listAuditEvents(db, await partitions(db), {
          ...paging,
          target,
          modules: visible,
        })
        // Do not reveal whether an object without events ever existed.
        if (found === 'deleted' && events.items.length === 0) throw new CoreError('business_object.not_found')
        return [events, found] as const
      }, caller.since)
      return c.json(
        toBody(page, ({ module, ...event }) => {
          // Offer no downloads for a deleted object, because its content is not accessible.
          const source = state === 'deleted' ? undefined : sources.get(module)
          return { ...event, download: source?.downloadOf?.({ module, ...event }) ?? null }
        }),
      )
    },
  )
  return {
    name: '@vertical-kit/core-audit/audit',
    version,
    router,
    permissions,
    gathers: { contribution: 'auditSource', modules: options.modules },
  }
}

/** Throws if the caller is not allowed to read the timeline. Returns whether the object is readable or deleted. */
async function requireTimeline(
  db: Db,
  businessObjects: BusinessObjects,
  { caller, target }: { readonly caller: Caller; readonly target: BusinessObjectReference },
): Promise<'readable' | 'deleted'> {
  if (holds(caller, viewAllAudit)) return businessObjects.requireReadableOrDeleted(db, caller, target)
  await businessObjects.requireReadable(db, caller, target)
  requireAuditAccess(caller, target)
  return 'readable'
}

function toBody(
  { items, nextCursor }: Awaited<ReturnType<typeof listAuditEvents>>,
  toEvent: (event: StoredAuditEvent) => AuditEvent,
): AuditEventPage {
  return { items: items.map(toEvent), nextCursor }
}
