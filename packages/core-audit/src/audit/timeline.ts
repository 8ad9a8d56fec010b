import { Hono } from 'hono'
import type { PermissionDefinition } from '../access/permission.ts'
import type { Database } from '../database/database.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { KitModule } from '../module.ts'
import type { BusinessObjects } from '../objects/business-objects.ts'
import { requireAuditAccess } from '../objects/business-objects.ts'
import { targetOf } from '../objects/contract.ts'
import { version } from '../version.ts'
import {
  AuditEventPage,
  type AuditEventPage as AuditEventPageBody,
  ListAuditEventsQuery,
} from './contract.ts'
import { listAuditEvents } from './queries/list-audit-events.ts'

export interface AuditTimelineOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  /** Every module of the host: those with an `auditSource` have their events shown. */
  readonly modules: readonly KitModule[]
}

const permissions: readonly PermissionDefinition[] = [
  {
    permission: 'system.audit.view',
    displayName: 'View audit timelines',
    group: 'Audit',
    description: 'Read the audit timeline of every object the user may read.',
  },
]

/**
 * `GET /api/audit/events`: what happened to one business object, newest first, as far as the caller may know.
 * @throws {TypeError} when two modules contribute the events of one: which of them decides over their visibility?
 */
export function auditTimeline(options: AuditTimelineOptions): KitModule {
  const registered = options.modules.flatMap(({ auditSource }) => auditSource ?? [])
  const sources = new Map(registered.map((source) => [source.module, source]))
  if (sources.size < registered.length) throw new TypeError('modules: two have the same auditSource.module')
  const router = new Hono<KitEnv>().get(
    '/api/audit/events',
    api({
      operationId: 'listAuditEvents',
      tag: 'Audit',
      summary: 'The audit timeline of one business object, newest first.',
      query: ListAuditEventsQuery,
      responses: { 200: { description: 'One page', schema: AuditEventPage } },
      errors: ['permission.denied', 'business_object.unsupported', 'business_object.not_found'],
    }),
    async (c) => {
      const query = c.req.valid('query')
      const caller = c.get('caller')
      const target = targetOf(query)
      const visible = registered.filter((source) => source.isVisibleTo(caller)).map((source) => source.module)
      const page = await options.database.read(async (db) => {
        await options.businessObjects.requireReadable(db, caller, target)
        requireAuditAccess(caller, target)
        return listAuditEvents(db, {
          target,
          modules: visible,
          limit: query.limit,
          cursor: query.cursor ?? null,
        })
      })
      const body: AuditEventPageBody = {
        items: page.items.map(({ module, ...event }) => ({
          ...event,
          download: sources.get(module)?.downloadOf?.({ module, ...event }) ?? null,
        })),
        nextCursor: page.nextCursor,
      }
      return c.json(body)
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
