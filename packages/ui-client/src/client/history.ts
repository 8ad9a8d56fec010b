import type { ActivityPage, ContentSummaries } from '../wire/activity.ts'
import type { AuditEventPage } from '../wire/audit.ts'
import type { BusinessObjectReference, ContentSummary, WatchState } from '../wire/business-objects.ts'
import type { Get } from './get.ts'
import type { CallOptions, Send } from './send.ts'

/** Selects one page of a list that belongs to a business object. */
export interface ListOf extends CallOptions {
  readonly target: BusinessObjectReference
  /** Maximum number of entries on the page: 1 to 100. Default: 50. */
  readonly limit?: number
  /** The `nextCursor` of the previous page. Without a cursor, the service returns the first page. */
  readonly cursor?: string | null
}

/** Filters of histories. `fromUtc` belongs to the range, `untilUtc` does not. */
export interface HistoryFilters {
  /** The id of a user. */
  readonly actor?: string | undefined
  readonly fromUtc?: string | undefined
  readonly untilUtc?: string | undefined
}

/** Filters of a search in the audit log. */
export interface AuditFilters extends HistoryFilters {
  readonly actionCode?: string | undefined
  readonly typeCode?: string | undefined
}

/** Selects a page of the audit log of all objects, newest first. */
export type AuditSearch = CallOptions & AuditFilters & Partial<Pick<ListOf, 'limit' | 'cursor'>>

/** Selects one page of the activity of an object. */
export interface ListActivity extends ListOf, HistoryFilters {
  readonly types?: readonly ('audit' | 'notes' | 'files' | 'tasks')[] | undefined
}

/** Selects the events of a file: those of one object, or those of a search. The filters by code apply only to a search. */
export type AuditExport = CallOptions &
  AuditFilters & { readonly format: 'csv' | 'ndjson'; readonly target?: BusinessObjectReference | undefined }

const mediaTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

export const inQuery = ({ kind, typeCode, id }: BusinessObjectReference) => ({ kind, typeCode, objectId: id })

/** Returns the query parameters of a page of an object's list. */
export const pageQuery = ({ target, ...page }: ListOf) => ({ ...inQuery(target), ...page })

/** Calls for summaries, activity and audit events. */
export function historyApi(send: Send, get: Get) {
  return {
    businessObjects: {
      /** Resolves with the number of an object's attachments and the number of its notes. */
      contentSummary: (target: BusinessObjectReference, options: CallOptions = {}) =>
        get<ContentSummary>('/api/business-objects/content-summary', { ...inQuery(target), ...options }),
      /** Resolves with the summaries of up to 100 objects, in their order. */
      contentSummaries: (targets: readonly BusinessObjectReference[], options: CallOptions = {}) =>
        send<ContentSummaries>({
          method: 'POST',
          path: '/api/business-objects/content-summaries',
          body: { targets },
          isRepeatable: true,
          ...options,
        }),
      /** Resolves with a page of an object's events, notes, files and tasks, newest first. */
      activity: ({ target, types, ...filters }: ListActivity) =>
        get<ActivityPage>('/api/business-objects/activity', {
          ...inQuery(target),
          ...filters,
          types: types?.join(),
        }),
      ...watchApi(send, get),
    },
    audit: {
      /** Resolves with a page of an object's audit events, newest first. */
      list: (list: ListOf) => get<AuditEventPage>('/api/audit/events', pageQuery(list)),
      /** Resolves with a page of the audit events of all objects. The caller needs `system.audit.view`. */
      search: (filters: AuditSearch = {}) => get<AuditEventPage>('/api/audit/search', filters),
      /** Resolves with a file of all events of an object, or of a search. The file is always complete. */
      export: ({ signal, target, format, ...filters }: AuditExport) =>
        send<Blob>({
          method: 'GET',
          path: target === undefined ? '/api/audit/search' : '/api/audit/events',
          query: { ...filters, ...(target && inQuery(target)) },
          headers: { Accept: mediaTypes[format] },
          isFile: true,
          signal,
        }),
    },
  }
}

function watchApi(send: Send, get: Get) {
  const path = '/api/business-objects/watch'
  return {
    /** Resolves with whether the user follows the object. */
    isWatching: (target: BusinessObjectReference, options: CallOptions = {}) =>
      get<WatchState>(path, { ...inQuery(target), ...options }),
    /** Follows the object: the user is notified of the work of others on it. */
    watch: (target: BusinessObjectReference, options: CallOptions = {}) =>
      send<void>({ method: 'PUT', path, query: inQuery(target), isRepeatable: true, ...options }),
    /** No longer follows the object. */
    unwatch: (target: BusinessObjectReference, options: CallOptions = {}) =>
      send<void>({ method: 'DELETE', path, query: inQuery(target), isRepeatable: true, ...options }),
  }
}
