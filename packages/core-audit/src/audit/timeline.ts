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
import { AuditEventPage, ListAuditEventsQuery, SearchAuditEventsQuery } from './contract.ts'
import { lineFormats } from './event-lines.ts'
import type { EventReader, PageRequest } from './event-reader.ts'
import { eventSources } from './event-sources.ts'
import { knownPartitions } from './known-partitions.ts'
import { listAuditEvents, type TargetFilters } from './queries/list-audit-events.ts'
import { hasFilters } from './queries/search-audit-events.ts'
import { resolveReferences } from './references.ts'
import { readSearchPage } from './search-page.ts'
import { securityKind, securityModule, storedSecurityTarget } from './security-events.ts'
import { answerEvents, type ReadPage } from './stream-events.ts'

/**
 * The input of {@link auditTimeline}. `checkModules` refuses a host in which a module with an `auditSource` is missing
 * here.
 */
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

const exportable =
  'With `Accept: text/csv` or `application/x-ndjson`, streams all pages with a line for each change. '

const responses = {
  200: { description: 'One page', schema: AuditEventPage, textTypes: [...lineFormats.keys()] },
}

/**
 * Creates the module with the routes `GET /api/audit/events`, which returns the events of one business object, role, user or
 * outbox event, and `GET /api/audit/search`, which returns the events of all objects. Both return the newest events first,
 * and only events that the caller is allowed to see. Both can export all pages.
 * @throws {TypeError} if two modules have the same `auditSource.module`, because only one module can decide which callers
 *   see these events
 */
export function auditTimeline(options: AuditTimelineOptions): KitModule {
  const { database, modules } = options
  const reader: EventReader = {
    ...options,
    sources: eventSources(modules),
    partitions: knownPartitions(database),
  }
  const day = () => new Date(database.clock.now()).toISOString().slice(0, 10)
  const router = new Hono<KitEnv>()
  router.get(
    '/api/audit/events',
    api({
      operationId: 'listAuditEvents',
      tag: 'Audit',
      summary: 'The audit timeline of one object, newest first.',
      description:
        'The kind `Security` lists the changes of one role (`security.role`), user (`security.user`), outbox event ' +
        '(`outbox.event`), outbox consumer (`outbox.consumer`) or partition of the audit log (`audit.partition`). These ' +
        'changes and the timelines of deleted ' +
        `objects require \`system.audit.view\`. ${exportable}`,
      query: ListAuditEventsQuery,
      responses,
      errors: ['permission.denied', 'business_object.unsupported', 'business_object.not_found'],
    }),
    (c) => {
      const { limit, cursor = null, actor, fromUtc, untilUtc, ...query } = c.req.valid('query')
      const filters = { actor, fromUtc, untilUtc }
      const target = targetOf(query)
      const read = query.kind === securityKind ? readSecurityPage : readTimelinePage
      return answerEvents(c, {
        ...{ database, paging: { limit, cursor } },
        fileName: `audit-${target.typeCode.replace(/[^a-z0-9_.]/g, '')}-${target.id}`,
        readPage: (db, caller, paging) => read(db, reader, { caller, paging, target, filters }),
      })
    },
  )
  router.get(
    '/api/audit/search',
    api({
      operationId: 'searchAuditEvents',
      tag: 'Audit',
      summary:
        'The audit events of all objects that the caller may read, and of deleted objects, newest first.',
      description: `${exportable}A page can have fewer items than \`limit\`, even if another page follows.`,
      permission: viewAllAudit,
      query: SearchAuditEventsQuery,
      responses,
    }),
    (c) => {
      const { limit, cursor = null, ...filters } = c.req.valid('query')
      return answerEvents(c, {
        ...{ database, paging: { limit, cursor }, fileName: `audit-${day()}` },
        readPage: (db, caller, paging) => readSearchPage(db, reader, { caller, paging, filters }),
      })
    },
  )
  return {
    name: '@vertical-kit/core-audit/audit',
    version,
    router,
    permissions,
    gathers: { contribution: 'auditSource', modules },
  }
}

interface TargetRequest extends PageRequest {
  readonly target: BusinessObjectReference
  readonly filters: TargetFilters
}

async function readSecurityPage(db: Db, reader: EventReader, request: TargetRequest): Promise<ReadPage> {
  const { caller, paging, target, filters } = request
  requirePermission(caller, viewAllAudit)
  const stored = storedSecurityTarget(target.typeCode, target.id)
  const query = { ...paging, target: stored, filters, modules: [securityModule] }
  const { items, nextCursor } = await listAuditEvents(db, await reader.partitions(db), query)
  const { references } = await resolveReferences(db, { ...reader, caller }, { events: items })
  const shown = items.map(({ module: _, ...event }) => ({ ...event, target, download: null }))
  return { page: { items: shown, references, nextCursor }, rights: [] }
}

async function readTimelinePage(db: Db, reader: EventReader, request: TargetRequest): Promise<ReadPage> {
  const { caller, paging, target, filters } = request
  const { businessObjects, sources } = reader
  const state = await requireTimeline(db, businessObjects, { caller, target })
  const modules = sources.visibleTo(caller)
  const query = { ...paging, target, modules }
  const partitions = await reader.partitions(db)
  const { items, nextCursor } = await listAuditEvents(db, partitions, { ...query, filters })
  if (state === 'deleted' && items.length === 0 && paging.cursor === null) {
    // Do not reveal whether an object without events ever existed.
    const unfiltered = hasFilters(filters) && (await listAuditEvents(db, partitions, { ...query, limit: 1 }))
    if (!unfiltered || unfiltered.items.length === 0) throw new CoreError('business_object.not_found')
  }
  const { references } = await resolveReferences(db, { ...reader, caller }, { events: items })
  return {
    page: { items: items.map((event) => sources.toShown(event, { caller, state })), references, nextCursor },
    rights: modules,
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
