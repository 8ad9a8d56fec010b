import type { MeAccess } from '../wire/security.ts'
import type {
  Preference,
  Priority,
  Severity,
  Tab,
  WorkCenterItem,
  WorkCenterItemPage,
  WorkCenterSummary,
} from '../wire/work-center.ts'
import { type CallOptions, path, type Send } from './send.ts'

/** Which items. Filters combine. */
export interface ListItems extends CallOptions {
  /** `attention` when absent. */
  readonly tab?: Tab
  /** Keeps what is about `<vertical>.…`. */
  readonly vertical?: string | undefined
  readonly priority?: Priority
  readonly severity?: Severity
  readonly overdue?: boolean
  readonly unread?: boolean
  /** 1–100; 30 when absent. */
  readonly limit?: number
  readonly cursor?: string | null
}

/** One choice of the caller's. */
export type PreferenceChoice = Pick<Preference, 'code' | 'channel' | 'isEnabled'>

/** Calls for the caller's own Work Center. All of its changes can be repeated. */
export function workCenterApi(send: Send) {
  const change = (of: string, body: unknown, { signal }: CallOptions) =>
    send<WorkCenterItem>({
      method: 'POST',
      path: `/api/work-center/${of}`,
      isRepeatable: true,
      signal,
      ...(body === undefined ? {} : { body }),
    })
  return {
    workCenter: {
      /** Counts, and the version they are of. */
      summary: ({ vertical, signal }: CallOptions & { vertical?: string | undefined } = {}) =>
        send<WorkCenterSummary>({
          method: 'GET',
          path: '/api/work-center/summary',
          query: { vertical },
          signal,
        }),
      /** A page of a tab, newest first. */
      items: ({ signal, ...query }: ListItems = {}) =>
        send<WorkCenterItemPage>({
          method: 'GET',
          path: '/api/work-center/items',
          query: { ...query },
          signal,
        }),
      readNotification: (id: string, options: CallOptions = {}) =>
        change(path`notifications/${id}/read`, undefined, options),
      dismissNotification: (id: string, options: CallOptions = {}) =>
        change(path`notifications/${id}/dismiss`, undefined, options),
      readTask: (id: string, options: CallOptions = {}) => change(path`tasks/${id}/read`, undefined, options),
      /** Takes a role's task as it was at `expectedVersion`. */
      claimTask: (id: string, expectedVersion: number, options: CallOptions = {}) =>
        change(path`tasks/${id}/claim`, { expectedVersion }, options),
      /** Keeps the task out of the way until an instant (ISO 8601, UTC); null shows it now. */
      snoozeTask: (id: string, snoozedUntilUtc: string | null, options: CallOptions = {}) =>
        change(path`tasks/${id}/snooze`, { snoozedUntilUtc }, options),
    },
    me: {
      /** Who the caller is and what they may do. */
      access: (options: CallOptions = {}) =>
        send<MeAccess>({ method: 'GET', path: '/api/security/me/access', ...options }),
      /** What the caller's roles can be told of, and what they chose. */
      preferences: (options: CallOptions = {}) =>
        send<Preference[]>({ method: 'GET', path: preferencesPath, ...options }),
      /** Changes the choices that are named; resolves with all of them. */
      setPreferences: (preferences: readonly PreferenceChoice[], options: CallOptions = {}) =>
        send<Preference[]>({
          method: 'PUT',
          path: preferencesPath,
          body: { preferences },
          isRepeatable: true,
          ...options,
        }),
    },
  }
}

const preferencesPath = '/api/me/notification-preferences'
