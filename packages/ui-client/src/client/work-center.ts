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

/** The tab and filters of a list. An item must match all filters. */
export interface ListItems extends CallOptions {
  /** `attention` when absent. */
  readonly tab?: Tab
  /** Limits the list to items about `<vertical>.…`. */
  readonly vertical?: string | undefined
  readonly priority?: Priority
  readonly severity?: Severity
  readonly overdue?: boolean
  readonly unread?: boolean
  /** 1–100; 30 when absent. */
  readonly limit?: number
  readonly cursor?: string | null
}

/** The caller's choice for one preference. */
export type PreferenceChoice = Pick<Preference, 'code' | 'channel' | 'isEnabled'>

/** Calls for the caller's Work Center and preferences. All changes are safe to repeat. */
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
      /** Resolves with the counts and their version. */
      summary: ({ vertical, signal }: CallOptions & { vertical?: string | undefined } = {}) =>
        send<WorkCenterSummary>({
          method: 'GET',
          path: '/api/work-center/summary',
          query: { vertical },
          signal,
        }),
      /** Resolves with a page of a tab, newest first. */
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
      /** Claims `expectedVersion` of a role's task. */
      claimTask: (id: string, expectedVersion: number, options: CallOptions = {}) =>
        change(path`tasks/${id}/claim`, { expectedVersion }, options),
      /** Snoozes the task until an instant (ISO 8601, UTC); null shows it now. */
      snoozeTask: (id: string, snoozedUntilUtc: string | null, options: CallOptions = {}) =>
        change(path`tasks/${id}/snooze`, { snoozedUntilUtc }, options),
    },
    me: {
      /** Resolves with the caller's identity, roles and permissions. */
      access: (options: CallOptions = {}) =>
        send<MeAccess>({ method: 'GET', path: '/api/security/me/access', ...options }),
      /** Resolves with the preferences of the caller's roles, and the caller's choices. */
      preferences: (options: CallOptions = {}) =>
        send<Preference[]>({ method: 'GET', path: preferencesPath, ...options }),
      /** Saves the given choices; resolves with all preferences. */
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
