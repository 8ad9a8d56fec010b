import type { MeAccess } from '../wire/security.ts'
import type {
  MailSettings,
  Preference,
  Priority,
  Severity,
  Tab,
  WorkCenterItem,
  WorkCenterItemPage,
  WorkCenterSummary,
} from '../wire/work-center.ts'
import { type CallOptions, path, type Send } from './send.ts'

/** Selects a page of a tab. An item must match all filters. */
export interface ListItems extends CallOptions {
  /** Default: `attention`. */
  readonly tab?: Tab
  /** Lists only items about objects of this vertical. The type codes of these objects begin with `<vertical>.`. */
  readonly vertical?: string | undefined
  readonly priority?: Priority
  readonly severity?: Severity
  readonly overdue?: boolean
  readonly unread?: boolean
  /** Maximum number of items on the page: 1 to 100. Default: 30. */
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
      /** Resolves with the counts of the tabs, and the version of the counts. */
      summary: ({ vertical, signal }: CallOptions & { vertical?: string | undefined } = {}) =>
        send<WorkCenterSummary>({
          method: 'GET',
          path: '/api/work-center/summary',
          query: { vertical },
          signal,
        }),
      /** Resolves with a page of a tab's items, newest first. */
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
      /** Claims a task that is assigned to a role, if the task still has `expectedVersion`. */
      claimTask: (id: string, expectedVersion: number, options: CallOptions = {}) =>
        change(path`tasks/${id}/claim`, { expectedVersion }, options),
      /** Snoozes the task until an instant (ISO 8601, UTC). Null ends the snooze. */
      snoozeTask: (id: string, snoozedUntilUtc: string | null, options: CallOptions = {}) =>
        change(path`tasks/${id}/snooze`, { snoozedUntilUtc }, options),
    },
    me: {
      /** Resolves with the caller's identity, roles and permissions. */
      access: (options: CallOptions = {}) =>
        send<MeAccess>({ method: 'GET', path: '/api/security/me/access', ...options }),
      /** Resolves with all preferences that apply to the caller's roles. Each preference contains the caller's choice. */
      preferences: (options: CallOptions = {}) =>
        send<Preference[]>({ method: 'GET', path: preferencesPath, ...options }),
      /** Saves these choices. Resolves with all preferences. */
      setPreferences: (preferences: readonly PreferenceChoice[], options: CallOptions = {}) =>
        send<Preference[]>({
          method: 'PUT',
          path: preferencesPath,
          body: { preferences },
          isRepeatable: true,
          ...options,
        }),
      /** Resolves with the time at which the caller receives mails. Only for hosts that send mail. */
      mailSettings: (options: CallOptions = {}) =>
        send<MailSettings>({ method: 'GET', path: mailSettingsPath, ...options }),
      /** Saves the time at which the caller receives mails. */
      setMailSettings: (settings: MailSettings, options: CallOptions = {}) =>
        send<MailSettings>({
          method: 'PUT',
          path: mailSettingsPath,
          body: settings,
          isRepeatable: true,
          ...options,
        }),
    },
  }
}

const mailSettingsPath = '/api/me/mail-settings'

const preferencesPath = '/api/me/notification-preferences'
