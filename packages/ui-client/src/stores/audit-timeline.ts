import type { ReadableAtom } from 'nanostores'
import type { AuditFilters } from '../client/history.ts'
import type { KitError } from '../client/kit-error.ts'
import { isSameTarget, type Session } from '../session/session.ts'
import type { ActivityEntry } from '../wire/activity.ts'
import type { Download } from '../wire/attachments.ts'
import type { AuditEvent, References } from '../wire/audit.ts'
import type { BusinessObjectReference, Page } from '../wire/business-objects.ts'
import { createPagedList, type ListState } from './paged-list.ts'
import { openState, openStore, outcome } from './store.ts'

/** A row of a timeline: an audit event, or a note, file or task. */
export type TimelineEntry =
  | ({ readonly type: 'audit' } & AuditEvent)
  | Exclude<ActivityEntry, { readonly type: 'audit' }>

/** The filters of a timeline. The codes apply only to the audit log of all objects. */
export interface TimelineFilters extends AuditFilters {
  /** The shown entries of an object. Default: `audit`. */
  readonly type?: 'audit' | 'all' | 'notes' | 'files' | 'tasks' | undefined
}

/** The audit events of one object or of all objects, newest first, or everything that happened to one object. */
export interface AuditTimelineStore {
  readonly $list: ReadableAtom<ListState<TimelineEntry>>
  /** The names of the ids in all loaded rows. */
  readonly $references: ReadableAtom<References>
  /** The people of all loaded rows, by id, also of rows that the current filters exclude. */
  readonly $people: ReadableAtom<ReadonlyMap<string, string>>
  readonly $filters: ReadableAtom<TimelineFilters>
  /** Replaces the filters and loads the list. */
  filter(filters: TimelineFilters): Promise<void>
  /** Loads the rows. After this, the list reloads whenever another store of the session changes the object. */
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Resolves with a short-lived URL of a file, even a deleted file, or with null if the store has ended. */
  download(attachmentId: string): Promise<Download | { readonly error: KitError } | null>
  /** Resolves with a file of all audit events that match the filters, of the object or of the search. */
  export(format: 'csv' | 'ndjson'): Promise<{ readonly file: Blob } | { readonly error: KitError } | null>
  dispose(): void
}

/** Number of rows per page of the timeline. */
const pageSize = 50

interface Loaded extends Page<TimelineEntry> {
  readonly references: References
}

/**
 * Opens the store of an object's timeline, or of the audit log of all objects if `target` is null. Events never change, so
 * only requests for pages can conflict.
 */
export function auditTimelineStore(
  session: Session,
  target: BusinessObjectReference | null,
): AuditTimelineStore {
  const { audit, attachments } = session.client
  const { signal, dispose } = openStore(session, null)
  const references = openState<References>(signal, {})
  const people = openState<ReadonlyMap<string, string>>(signal, new Map())
  const { $state: $filters, set: setFilters } = openState<TimelineFilters>(signal, {})
  const list = createPagedList<TimelineEntry>({
    signal,
    pageSize,
    async fetchPage(page) {
      const loaded = await fetchTimeline(session, target, { ...$filters.get(), ...page })
      references.update((known) => ({ ...known, ...loaded.references }))
      const actors = loaded.items.flatMap(({ actor }) =>
        actor === null ? [] : [[actor.userId, actor.displayName] as const],
      )
      people.update((known) => new Map([...known, ...actors]))
      return loaded
    },
  })
  session.listen((change) => {
    if (target === null) return
    const isThis =
      change.kind === 'content' || change.kind === 'object'
        ? isSameTarget(change.target, target)
        : change.kind === 'document' && change.typeCode === target.typeCode && change.id === target.id
    if (isThis && list.$list.get().status !== 'idle') void list.refresh()
  }, signal)
  return {
    ...{ $list: list.$list, $references: references.$state, $people: people.$state, $filters },
    async filter(filters) {
      if (signal.aborted) return
      setFilters(filters)
      list.reset()
      await list.load()
    },
    load: list.load,
    loadMore: list.loadMore,
    async download(attachmentId) {
      const result = await outcome(signal, attachments.auditDownload(attachmentId, { signal }))
      return result !== null && 'value' in result ? result.value : result
    },
    async export(format) {
      const { type: _, ...filters } = $filters.get()
      const request = audit.export({ ...filters, ...(target && { target }), format, signal })
      const result = await outcome(signal, request)
      return result !== null && 'value' in result ? { file: result.value } : result
    },
    dispose,
  }
}

interface Request extends TimelineFilters {
  readonly limit: number
  readonly cursor: string | null
  readonly signal: AbortSignal
}

async function fetchTimeline(
  { client }: Session,
  target: BusinessObjectReference | null,
  { type = 'audit', limit, cursor, signal, ...filters }: Request,
): Promise<Loaded> {
  const page = { limit, cursor, signal }
  if (target === null) return ofEvents(await client.audit.search({ ...filters, ...page }))
  const { actor, fromUtc, untilUtc } = filters
  if (type === 'audit' && actor === undefined && fromUtc === undefined && untilUtc === undefined)
    return ofEvents(await client.audit.list({ target, ...page }))
  const types = type === 'all' ? undefined : [type]
  const answer = await client.businessObjects.activity({ target, types, actor, fromUtc, untilUtc, ...page })
  return {
    ...answer,
    items: answer.items.map((entry) => (entry.type === 'audit' ? ofEvent(entry.event) : entry)),
  }
}

const ofEvent = (event: AuditEvent): TimelineEntry => ({ type: 'audit', ...event })

const ofEvents = ({ items, ...page }: Page<AuditEvent> & Pick<Loaded, 'references'>): Loaded => ({
  ...page,
  items: items.map(ofEvent),
})
