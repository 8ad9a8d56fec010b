import type { Caller } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { BusinessObjects } from '../objects/business-objects.ts'
import type { BusinessObjectReference, References } from '../objects/contract.ts'
import type { ObjectStates } from '../objects/find-objects.ts'
import type { EventSources } from './event-sources.ts'
import { findRoleNames, findUserNames } from './queries/find-names.ts'
import type { StoredAuditEvent } from './queries/read-events.ts'
import { referenceIds } from './reference-ids.ts'
import { roleTarget, userTarget } from './security-events.ts'

/** The contents of a page whose ids get names. */
export interface ReferringPage {
  readonly events: readonly StoredAuditEvent[]
  /** Further objects whose states are needed, but no names. */
  readonly objects?: readonly BusinessObjectReference[]
  /** Further users, such as the authors of notes. */
  readonly userIds?: readonly string[]
  readonly roleIds?: readonly string[]
}

/** The names on a page, and what the caller may know about the objects of its events. */
export interface ResolvedPage {
  readonly references: References
  readonly states: ObjectStates
}

/** The objects and sources of a deployment, and the reader of a page. */
export interface ReferenceContext {
  readonly businessObjects: BusinessObjects
  readonly sources: EventSources
  readonly caller: Caller
}

/** The other ids of a page stay ids. Lists of a document could otherwise contain any number of them. */
const maxIdsPerPage = 1_000

/**
 * Finds the objects of the events, and everything that their ids refer to, as far as the caller may read it. Runs at most
 * one statement for each registered kind, one for users and one for roles, and all of them in one round trip.
 */
export async function resolveReferences(
  db: Db,
  { businessObjects, sources, caller }: ReferenceContext,
  page: ReferringPage,
): Promise<ResolvedPage> {
  const { events, objects: unnamed = [], userIds = [], roleIds = [] } = page
  const ids = events
    .flatMap((event) => referenceIds(event, businessObjects.pathsOf(event.target.typeCode) ?? {}))
    .slice(0, maxIdsPerPage)
  const objects = [
    // A timeline can have stored kinds that no business object has; the search for them finds nothing.
    ...events.map(({ target }) => target as BusinessObjectReference),
    ...ids.flatMap(({ typeCode, id }) => businessObjects.referenceTo(typeCode, id) ?? []),
  ]
  const people = sources.peopleIn(events)
  const users = new Set([
    ...userIds,
    ...people.userIds.slice(0, maxIdsPerPage),
    ...targetsOf(events, userTarget.kind),
    ...ids.filter(({ typeCode }) => typeCode === 'user').map(({ id }) => id),
  ])
  const roles = new Set([
    ...roleIds,
    ...people.roleIds.slice(0, maxIdsPerPage),
    ...targetsOf(events, roleTarget.kind),
  ])
  const [states, userNames, roleNames] = await Promise.all([
    businessObjects.findAll(db, caller, [...objects, ...unnamed]),
    findUserNames(db, users),
    findRoleNames(db, roles),
  ])
  const actors = events.flatMap(({ actor }) =>
    actor === null || actor.displayName === '' ? [] : [{ id: actor.userId, display: actor.displayName }],
  )
  const named = [...actors, ...userNames, ...roleNames].map(
    ({ id, display }) => [id, { display, target: null }] as const,
  )
  const found = objects.flatMap((object) => {
    const state = states(object)
    return state.is === 'readable' && state.name !== null ? [[object.id, state.name] as const] : []
  })
  return { references: Object.fromEntries([...named, ...found]), states }
}

const targetsOf = (events: readonly StoredAuditEvent[], kind: string): readonly string[] =>
  events.filter(({ target }) => target.kind === kind).map(({ target }) => target.id)
