import { requirePermission } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import { writeCursor } from '../http/paging.ts'
import { viewAllAudit } from '../objects/audit-access.ts'
import type { BusinessObjectReference } from '../objects/contract.ts'
import type { ObjectStates } from '../objects/find-objects.ts'
import type { EventReader, PageRequest } from './event-reader.ts'
import type { EventAudience } from './event-sources.ts'
import { fillPage, type VisibleEvent } from './fill-page.ts'
import { readPosition } from './queries/list-audit-events.ts'
import type { StoredAuditEvent } from './queries/read-events.ts'
import { type EventFilters, listOfSearch, searchAuditEvents } from './queries/search-audit-events.ts'
import { resolveReferences } from './references.ts'
import { securityModule, shownSecurityTarget } from './security-events.ts'
import type { ReadPage } from './stream-events.ts'

export interface SearchRequest extends PageRequest {
  readonly filters: EventFilters
}

/**
 * Reads a page of the events of all objects. Events of objects that the caller may not read are hidden, and the page contains
 * neither their ids nor the names of their references. If none is hidden, it needs one read, and one search for objects and names.
 *
 * @throws {CoreError} permission.denied without `system.audit.view` · request.invalid for a cursor of another search
 */
export async function readSearchPage(
  db: Db,
  reader: EventReader,
  { caller, paging: { limit, cursor }, filters }: SearchRequest,
): Promise<ReadPage> {
  requirePermission(caller, viewAllAudit)
  const { sources } = reader
  const { read, rights } = await openSearch(db, reader, { caller, filters })
  const list = listOfSearch(filters)
  const { events, ...examined } = await read(readPosition(list, cursor), limit + 1)
  const context = { ...reader, caller }
  const { references, states } = await resolveReferences(db, context, {
    events: events.slice(0, limit),
    // The event after the page only decides whether another page follows.
    objects: events.slice(limit).map(objectOf),
  })
  const visible = visibleAmong(events, states)
  const { shown, position } = await fillPage({ visible, ...examined }, limit, async (before, count) => {
    const { events: further, ...found } = await read(before, count)
    const furtherStates = await reader.businessObjects.findAll(db, caller, further.map(objectOf))
    return { visible: visibleAmong(further, furtherStates), ...found }
  })
  const isOfFirstRead = visible.length === events.length && shown.length <= events.length
  const shownEvents = shown.map(({ event }) => event)
  return {
    page: {
      items: shown.map((event) => toShown(sources, { ...event, caller })),
      // With hidden events in the first read, its names are also those of their references. Further reads have no names.
      references: isOfFirstRead
        ? references
        : (await resolveReferences(db, context, { events: shownEvents })).references,
      nextCursor: position === null ? null : writeCursor(list, [position]),
    },
    rights,
  }
}

/** Returns a function that reads matching events of the modules and types that can be visible, and the caller's rights to them. */
async function openSearch(db: Db, reader: EventReader, { caller, filters }: Omit<SearchRequest, 'paging'>) {
  const modules = reader.sources.visibleTo(caller)
  const types = reader.businessObjects.searchableTypes(caller)
  const partitions = await reader.partitions(db)
  return {
    read: (before: string | null, limit: number) =>
      searchAuditEvents(db, partitions, { filters, types, modules, before, limit }),
    rights: [
      ...modules,
      ...types.filter(({ mayRead }) => mayRead).map(({ kind, typeCode }) => `${kind}/${typeCode}`),
    ],
  }
}

/** The object of an event. No business object has the target of a security event, so a search for it finds nothing. */
const objectOf = ({ target }: StoredAuditEvent) => target as BusinessObjectReference

const visibleAmong = (events: readonly StoredAuditEvent[], states: ObjectStates): readonly VisibleEvent[] =>
  events.flatMap((event) => {
    const state = event.module === securityModule ? 'readable' : states(objectOf(event)).is
    return state === 'hidden' ? [] : [{ event, state }]
  })

function toShown(sources: EventReader['sources'], { event, ...audience }: VisibleEvent & EventAudience) {
  if (event.module !== securityModule) return sources.toShown(event, audience)
  const { module: _, ...rest } = event
  return { ...rest, target: shownSecurityTarget(event.target), download: null }
}
