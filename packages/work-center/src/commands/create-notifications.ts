import { newId, sql } from '@vertical-kit/core-audit'
import type { NavigationTarget } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { ItemText, Source } from '../contract.ts'
import type { NotificationDefinition } from '../definitions/definition.ts'
import { nextChange } from '../inbox/next-change.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { type Audience, selectRecipients, toAudiences } from './recipients.ts'
import { requestMails } from './request-mails.ts'
import { bySeen, changesOf, type SeenRow } from './seen-row.ts'
import { toJson } from './to-json.ts'

/** The input for one notification. */
export interface CreateNotification {
  /** A key that the creator chooses. The database stores at most one notification with the same code and key. */
  readonly deduplicationKey: string
  readonly title: string
  readonly description?: string
  /** The texts for clients that translate them. `title` and `description` are always required as plain text. */
  readonly titleText?: ItemText | null
  readonly descriptionText?: ItemText | null
  readonly source: Source
  readonly target?: NavigationTarget | null
  /** Restricts the definition's recipients to this audience, and never adds recipients. The default is all recipients. */
  readonly to?: Audience
}

/**
 * Creates notifications of one definition for the active members of its roles, and returns the changes that users see.
 * Excludes members that have the definition switched off. Skips notifications without recipients and notifications with a
 * deduplication key that is already stored. The definition sets the severity. A notification expires after the retention
 * of its definition, or after `retentionMs` if the definition sets none.
 *
 * Runs one statement for any number of notifications and recipients. Inserts the notifications in the given order.
 */
export async function createNotifications(
  tx: Tx,
  { definition, retentionMs }: { readonly definition: NotificationDefinition; readonly retentionMs: number },
  notifications: readonly CreateNotification[],
): Promise<readonly SeenChange[]> {
  if (notifications.length === 0) return []
  const allRecipients: Audience = { roleCodes: definition.roleCodes }
  const { different, places } = toAudiences(notifications.map(({ to }) => to ?? allRecipients))
  const wanted = notifications.map((notification, place) => ({
    ...toWanted(notification),
    place,
    audience: places[place],
  }))
  const keptMs = definition.retentionMs ?? retentionMs
  const rows = await tx.execute<SeenRow>(sql`
    with recipient as materialized (
      select distinct audience, user_id
      from (${selectRecipients(definition, different)}) r
    ),
    wanted as materialized (
      select *
      from jsonb_to_recordset(${toJson(wanted)}::jsonb) w (${wantedColumns})
    ),
    notification as (
      insert into work_center.notifications (
        id, code, deduplication_key, title, description, resource_kind, resource_code, entity_id,
        source_title, source_subtitle, severity, target, title_text, description_text, expires_at
      )
      select w.id, ${definition.code}, w.deduplication_key, w.title, w.description, w.resource_kind, w.resource_code,
        w.entity_id, w.source_title, w.source_subtitle, ${definition.severity}, w.target,
        w.title_text, w.description_text,
        clock_timestamp() + make_interval(secs => ${keptMs}::float8 / 1000)
      from wanted w
      where exists (select from recipient where audience = w.audience)
      order by w.place
      on conflict (code, deduplication_key) do nothing
      returning id, resource_kind || '.' || resource_code || '.view' as view_permission, resource_code, created_at,
        expires_at
    ),
    entry as (
      insert into work_center.entries (
        user_id, item_id, kind, view_permission, resource_code, severity, expires_at, sort_at, changes_at
      )
      select r.user_id, n.id, 'Notification', n.view_permission, n.resource_code, ${definition.severity}, n.expires_at,
        n.created_at, ${changesAt}
      from notification n
      join wanted w on w.id = n.id
      join recipient r on r.audience = w.audience
      returning user_id, item_id, view_permission
    )${requestMails([definition], sql`select user_id, item_id, ${definition.code}::text as code from entry`)}
    ${bySeen(sql`select distinct user_id, view_permission from entry`, sql`true`)}`)
  return changesOf(rows)
}

const wantedColumns = sql.raw(`
        place int, audience int, id uuid, deduplication_key text, title text, description text, resource_kind text,
        resource_code text, entity_id uuid, source_title text, source_subtitle text, target jsonb,
        title_text jsonb, description_text jsonb
      `)

/** Converts a notification to the row that `wantedColumns` describes. */
function toWanted(notification: CreateNotification) {
  const { source } = notification
  return {
    id: newId(),
    deduplication_key: notification.deduplicationKey,
    title: notification.title,
    description: notification.description ?? '',
    resource_kind: source.resourceKind,
    resource_code: source.resourceCode,
    entity_id: source.entityId,
    source_title: source.title,
    source_subtitle: source.subtitle,
    target: notification.target ?? null,
    title_text: notification.titleText ?? null,
    description_text: notification.descriptionText ?? null,
  }
}

const changesAt = nextChange({
  isOpen: sql`true`,
  snoozedUntil: sql`null::timestamptz`,
  dueAt: sql`null::timestamptz`,
  expiresAt: sql`n.expires_at`,
})
