import type { Caller } from '../access/caller.ts'
import { isUuid } from '../http/contract.ts'
import type { KitModule } from '../module.ts'
import type { AuditEvent } from './contract.ts'
import type { StoredAuditEvent } from './queries/read-events.ts'

/** The audit sources of all modules. */
export interface EventSources {
  /** Returns the names of the modules whose events the caller may see. */
  visibleTo(caller: Caller): readonly string[]
  /** Returns the event of the wire format. Events of deleted objects have no download: their content is not accessible. */
  toShown(event: StoredAuditEvent, reader: EventAudience): AuditEvent
  /** Returns the users and roles that the events contain. */
  peopleIn(events: readonly StoredAuditEvent[]): Readonly<Record<'userIds' | 'roleIds', readonly string[]>>
}

/** The reader of an event, and the state of its object. */
export interface EventAudience {
  readonly caller: Caller
  readonly state: 'readable' | 'deleted'
}

/**
 * Collects the audit sources of the modules.
 * @throws {TypeError} if two modules have the same `auditSource.module`
 */
export function eventSources(modules: readonly KitModule[]): EventSources {
  const registered = modules.flatMap(({ auditSource }) => auditSource ?? [])
  const sources = new Map(registered.map((source) => [source.module, source]))
  if (sources.size < registered.length) throw new TypeError('modules: auditSource.module must be unique')
  return {
    visibleTo: (caller) =>
      registered
        .filter((source) => (source.isEnabled ?? true) && source.isVisibleTo(caller))
        .map((source) => source.module),
    toShown({ module, ...event }, { caller, state }) {
      const source = sources.get(module)
      const { metadata } = event
      return {
        ...event,
        metadata: metadata && (source?.metadataFor?.(caller, metadata) ?? metadata),
        download: state === 'deleted' ? null : (source?.downloadOf?.({ module, ...event }) ?? null),
      }
    },
    peopleIn(events) {
      const people = events.map((event) => sources.get(event.module)?.peopleIn?.(event) ?? {})
      return {
        userIds: people.flatMap(({ userIds = [] }) => userIds.filter(isId)),
        roleIds: people.flatMap(({ roleIds = [] }) => roleIds.filter(isId)),
      }
    },
  }
}

const isId = (id: unknown): id is string => typeof id === 'string' && isUuid(id)
