import { Hono } from 'hono'
import { targetOf } from '../business-objects/contract.ts'
import type { BusinessObjects } from '../business-objects/reference.ts'
import { requireAuditAccess } from '../business-objects/reference.ts'
import type { Database } from '../database/database.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/environment.ts'
import type { Caller } from '../identity/caller.ts'
import { type KitModule, type PermissionDefinition, releaseTrain } from '../module.ts'
import {
  AuditEventPage,
  type AuditEventPage as AuditEventPageBody,
  ListAuditEventsQuery,
} from './contract.ts'
import { listAuditEvents, type StoredAuditEvent } from './queries/list-audit-events.ts'

/** A package whose events timelines show: who may see them, and what they offer. */
export interface AuditSource {
  /** As in its events. Events of a module that is not registered are not shown. */
  readonly module: string
  isVisibleTo(caller: Caller): boolean
  /** The attachment an event offers for download, if any. */
  downloadOf?(event: StoredAuditEvent): { readonly attachmentId: string } | null
}

export interface AuditTimelineOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  readonly sources: readonly AuditSource[]
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
 * @throws {TypeError} when a module has two sources: which of them decides who may see its events?
 */
export function createAuditTimeline(options: AuditTimelineOptions): KitModule {
  const sources = new Map(options.sources.map((source) => [source.module, source]))
  if (sources.size < options.sources.length) throw new TypeError('sources: a module has two of them')
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
      const visible = options.sources
        .filter((source) => source.isVisibleTo(caller))
        .map((source) => source.module)
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
  return { name: '@vertical-kit/core-audit/audit', version: releaseTrain, router, permissions }
}
