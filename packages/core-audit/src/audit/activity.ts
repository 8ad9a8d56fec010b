import { Hono } from 'hono'
import { type Caller, holds } from '../access/caller.ts'
import type { Database, Db } from '../database/database.ts'
import { CoreError, isKitError } from '../errors.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { KitModule } from '../module.ts'
import { requireAuditAccess, viewAllAudit } from '../objects/audit-access.ts'
import type { BusinessObjects } from '../objects/business-objects.ts'
import { type BusinessObjectReference, targetOf } from '../objects/contract.ts'
import { version } from '../version.ts'
import {
  type ActivityEntry,
  ActivityPage,
  type ActivityType,
  activityTypes,
  ListActivityQuery,
} from './contract.ts'
import { type EventAudience, eventSources } from './event-sources.ts'
import { knownPartitions } from './known-partitions.ts'
import { listActivity, type StoredEntry } from './queries/list-activity.ts'
import { hasFilters } from './queries/search-audit-events.ts'
import { resolveReferences } from './references.ts'

/**
 * The input of {@link objectActivity}. A module that is missing here has no entries in the activity, and no error
 * shows that.
 */
export interface ObjectActivityOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  /** All modules of the host. Modules with an `auditSource` contribute events, and modules with an `activity` their entries. */
  readonly modules: readonly KitModule[]
}

/**
 * Creates the module with the route `GET /api/business-objects/activity`: events, notes, files and tasks of one object in one
 * list, newest first. A type that the caller may not read is absent from the list.
 * @throws {TypeError} if two modules contribute the same type
 */
export function objectActivity({ database, businessObjects, modules }: ObjectActivityOptions): KitModule {
  const events = eventSources(modules)
  const contributed = modules.flatMap(({ activity }) => activity ?? [])
  if (new Set(contributed.map(({ type }) => type)).size < contributed.length)
    throw new TypeError('modules: two modules contribute the same type of activity')
  const partitions = knownPartitions(database)

  const read = async (
    db: Db,
    caller: Caller,
    { target, ...query }: ActivityRequest,
  ): Promise<ActivityPage> => {
    const state = await requireObject(db, businessObjects, { caller, target })
    const allowed = allowedTypes(query.types, (type) => {
      if (type === 'audit') return requireAuditAccess(caller, target)
      contributed.find((source) => source.type === type)?.requireAccess(caller)
    })
    const all = {
      ...{ caller, target, ...query },
      modules: allowed.includes('audit') ? events.visibleTo(caller) : null,
      // The content of a deleted object is not accessible.
      sources: state === 'deleted' ? [] : contributed.filter(({ type }) => allowed.includes(type)),
    }
    const known = await partitions(db)
    const { items, nextCursor } = await listActivity(db, known, all)
    if (state === 'deleted' && items.length === 0 && query.cursor === null) {
      // Do not reveal whether an object without events ever existed.
      const unfiltered =
        hasFilters(query.filters) && (await listActivity(db, known, { ...all, filters: {}, limit: 1 }))
      if (!unfiltered || unfiltered.items.length === 0) throw new CoreError('business_object.not_found')
    }
    const { references } = await resolveReferences(
      db,
      { businessObjects, sources: events, caller },
      pageOf(items),
    )
    const shown = items.map((entry) => toShown(entry, { events, caller, state, references }))
    return { items: shown, references, nextCursor }
  }

  const router = new Hono<KitEnv>().get(
    '/api/business-objects/activity',
    api({
      operationId: 'listActivity',
      tag: 'Business objects',
      summary: 'Events, notes, files and tasks of one object in one list, newest first.',
      description:
        'Each type requires the rights of its own list; without them, it is absent. The request is refused only if no type ' +
        'remains. A task belongs to the list if the caller sees it in the Work Center, or supervises. Its time is that of its creation.',
      query: ListActivityQuery,
      responses: { 200: { description: 'One page', schema: ActivityPage } },
      errors: [
        ...[
          'feature.disabled',
          'permission.denied',
          'business_object.unsupported',
          'business_object.not_found',
        ],
      ],
    }),
    async (c) => {
      const { limit, cursor = null, types = Object.values(activityTypes), ...query } = c.req.valid('query')
      const { actor, fromUtc, untilUtc } = query
      const target = targetOf(query)
      const filters = { actor, fromUtc, untilUtc }
      const list = JSON.stringify(['activity', target, types.toSorted(), actor, fromUtc, untilUtc])
      const request = { target, types, filters, list, limit, cursor }
      return c.json(await database.read((db) => read(db, c.get('caller'), request)))
    },
  )
  return { name: '@vertical-kit/core-audit/activity', version, router }
}

interface ActivityRequest
  extends Pick<Parameters<typeof listActivity>[2], 'filters' | 'list' | 'limit' | 'cursor'> {
  readonly target: BusinessObjectReference
  readonly types: readonly ActivityType[]
}

function requireObject(
  db: Db,
  businessObjects: BusinessObjects,
  { caller, target }: { readonly caller: Caller; readonly target: BusinessObjectReference },
): Promise<'readable' | 'deleted'> {
  if (holds(caller, viewAllAudit)) return businessObjects.requireReadableOrDeleted(db, caller, target)
  return businessObjects.requireReadable(db, caller, target).then(() => 'readable')
}

/** Returns the types that the check accepts. Throws the first refusal if it accepts none. */
function allowedTypes(
  requested: readonly ActivityType[],
  check: (type: ActivityType) => void,
): readonly ActivityType[] {
  const refusals: unknown[] = []
  const allowed = requested.filter((type) => {
    try {
      check(type)
      return true
    } catch (error) {
      if (!isKitError(error)) throw error
      refusals.push(error)
      return false
    }
  })
  if (allowed.length === 0) throw refusals[0]
  return allowed
}

const pageOf = (items: readonly StoredEntry[]) => {
  const contents = items.flatMap((entry) => ('content' in entry ? [entry.content] : []))
  return {
    events: items.flatMap((entry) => ('event' in entry ? [entry.event] : [])),
    userIds: contents.flatMap(({ userIds = [], actor }) => [
      ...userIds,
      ...(actor === null ? [] : [actor.userId]),
    ]),
    roleIds: contents.flatMap(({ roleIds = [] }) => roleIds),
  }
}

interface ShownPage extends EventAudience {
  readonly events: ReturnType<typeof eventSources>
  readonly references: ActivityPage['references']
}

function toShown(entry: StoredEntry, { events, references, ...audience }: ShownPage): ActivityEntry {
  const { type, id, occurredAtUtc } = entry
  if ('event' in entry) {
    const event = events.toShown(entry.event, audience)
    return { type, id, occurredAtUtc, actor: event.actor, event }
  }
  const { actor, content } = entry.content
  const displayName = actor === null ? '' : (references[actor.userId]?.display ?? actor.displayName)
  return { type, id, occurredAtUtc, actor: actor && { ...actor, displayName }, ...content }
}
