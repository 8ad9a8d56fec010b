import type { MeAccess } from '../wire/security.ts'
import type {
  BatchVerb,
  ItemBatchResults,
  ItemKind,
  MailSettings,
  Preference,
  Priority,
  Severity,
  Sort,
  Tab,
  WorkCenterItem,
  WorkCenterItemPage,
  WorkCenterSummary,
} from '../wire/work-center.ts'
import type { Get } from './get.ts'
import { type CallOptions, path, type Send } from './send.ts'

/** The filters of a list. An item must match all of them. */
export interface ItemFilters {
  /** Lists only items about objects of this vertical. The type codes of these objects begin with `<vertical>.`. */
  readonly vertical?: string | undefined
  readonly priority?: Priority
  readonly severity?: Severity
  readonly overdue?: boolean
  readonly unread?: boolean
  /** A text of at most 200 characters that the title or the source contains, in upper or lower case. */
  readonly q?: string
  /** The code of a definition. */
  readonly definition?: string
  /** The resource code of a source. */
  readonly source?: string
}

/** Selects a page of a tab. */
export interface ListItems extends CallOptions, ItemFilters {
  /** Default: `attention`. */
  readonly tab?: Tab
  /** Default: `newest`. */
  readonly sort?: Sort
  /** Maximum number of items on the page: 1 to 100. Default: 30. */
  readonly limit?: number
  readonly cursor?: string | null
}

/** A change of 1 to 100 items. */
export interface ItemBatch {
  readonly verb: BatchVerb
  /** The items with the versions that the user saw. `claim` and `release` compare them. */
  readonly items: readonly {
    readonly kind: ItemKind
    readonly id: string
    readonly expectedVersion: number
  }[]
  /** The end of the snooze (ISO 8601, UTC), only for `snooze`. Null ends the snooze. */
  readonly snoozedUntilUtc?: string | null
}

/** Selects the items to mark as read. */
export interface ReadAll {
  readonly tab: Tab
  readonly filters: ItemFilters
  /** The `readThrough` of a page of this list. Items that arrived later stay unread. */
  readonly through: string
}

/** The caller's choice for one preference. */
export type PreferenceChoice = Pick<Preference, 'code' | 'channel' | 'isEnabled'>

/** Calls for the caller's Work Center and preferences. All changes are safe to repeat, except releases. */
export function workCenterApi(send: Send, get: Get) {
  const change = <Result = WorkCenterItem>(
    of: string,
    body: unknown,
    { signal }: CallOptions,
    sent?: 'once',
  ) =>
    send<Result>({
      method: 'POST',
      path: `/api/work-center/${of}`,
      isRepeatable: !sent,
      signal,
      body,
    })
  return {
    workCenter: {
      /** Resolves with the counts of the tabs, and the version of the counts. */
      summary: (filters: CallOptions & { vertical?: string | undefined } = {}) =>
        get<WorkCenterSummary>('/api/work-center/summary', filters),
      /** Resolves with a page of a tab's items. */
      items: (filters: ListItems = {}) => get<WorkCenterItemPage>('/api/work-center/items', filters),
      readNotification: (id: string, options: CallOptions = {}) =>
        change(path`notifications/${id}/read`, undefined, options),
      dismissNotification: (id: string, options: CallOptions = {}) =>
        change(path`notifications/${id}/dismiss`, undefined, options),
      unreadNotification: (id: string, options: CallOptions = {}) =>
        change(path`notifications/${id}/unread`, undefined, options),
      /** Undoes `dismissNotification`. */
      restoreNotification: (id: string, options: CallOptions = {}) =>
        change(path`notifications/${id}/restore`, undefined, options),
      readTask: (id: string, options: CallOptions = {}) => change(path`tasks/${id}/read`, undefined, options),
      unreadTask: (id: string, options: CallOptions = {}) =>
        change(path`tasks/${id}/unread`, undefined, options),
      /** Claims a task that is assigned to a role, if the task still has `expectedVersion`. */
      claimTask: (id: string, expectedVersion: number, options: CallOptions = {}) =>
        change(path`tasks/${id}/claim`, { expectedVersion }, options),
      /**
       * Gives a claimed task back to its role, if the task still has `expectedVersion`. Resolves with null if the caller no longer
       * sees the task. Not retried: the service refuses a second release.
       */
      releaseTask: (id: string, expectedVersion: number, options: CallOptions = {}) =>
        change<WorkCenterItem | undefined>(
          path`tasks/${id}/release`,
          { expectedVersion },
          options,
          'once',
        ).then((item) => item ?? null),
      /** Snoozes the task until an instant (ISO 8601, UTC). Null ends the snooze. */
      snoozeTask: (id: string, snoozedUntilUtc: string | null, options: CallOptions = {}) =>
        change(path`tasks/${id}/snooze`, { snoozedUntilUtc }, options),
      /** Changes up to 100 items. Each succeeds or fails on its own: the results have the order of the items. */
      batch: (body: ItemBatch, options: CallOptions = {}) =>
        change<ItemBatchResults>('batch', body, options, body.verb === 'release' ? 'once' : undefined),
      /** Marks the items of a list as read. Resolves with the number of items that changed. */
      readAll: (body: ReadAll, options: CallOptions = {}) =>
        change<{ changedCount: number }>('read-all', body, options),
    },
    me: {
      /** Resolves with the caller's identity, roles and permissions. */
      access: (options: CallOptions = {}) => get<MeAccess>('/api/security/me/access', options),
      /** Resolves with all preferences that apply to the caller's roles. Each preference contains the caller's choice. */
      preferences: (options: CallOptions = {}) => get<Preference[]>(preferencesPath, options),
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
      mailSettings: (options: CallOptions = {}) => get<MailSettings>(mailSettingsPath, options),
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
