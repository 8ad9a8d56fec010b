import { newId, type Tx } from '@vertical-kit/core-audit'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { ItemTarget, Source } from '../contract.ts'
import type { NotificationDefinition } from '../definitions/definition.ts'
import { nextChange } from '../inbox/next-change.ts'
import type { SeenChange } from '../inbox/version-changes.ts'
import { fromRecipients } from './recipients.ts'
import { changesOf, type SeenRow } from './seen-row.ts'

/** Who is told, of those the definition is for. */
export type Audience = { readonly roleCodes: readonly string[] } | { readonly userIds: readonly string[] }

/** A notification to be there. */
export interface CreateNotification {
  /** What it is about, in the creator's words: one notification of a code for each, while its rows are kept. */
  readonly deduplicationKey: string
  readonly title: string
  readonly description?: string
  readonly source: Source
  readonly target?: ItemTarget | null
  /** Everybody the definition is for when absent. It is never for anybody else. */
  readonly to?: Audience
}

/**
 * Tells active members of the definition's roles who have not switched it off, and returns them. What was told already is
 * told nobody again, and without anybody to tell there is no notification. Its severity is the definition's; it expires
 * after the definition's time, or `retentionMs`.
 *
 * One statement, whatever the number of recipients.
 */
export async function createNotification(
  tx: Tx,
  { definition, retentionMs }: { readonly definition: NotificationDefinition; readonly retentionMs: number },
  input: CreateNotification,
): Promise<readonly SeenChange[]> {
  const { deduplicationKey, title, description = '', source, target = null, to } = input
  const keptMs = definition.retentionMs ?? retentionMs
  const rows = await tx.execute<SeenRow>(sql`
    with recipient as (
      select distinct m.user_id
      ${fromRecipients(definition)}
        and ${to === undefined ? sql`true` : isTold(to)}
    ),
    notification as (
      insert into work_center.notifications (
        id, code, deduplication_key, title, description, resource_kind, resource_code, entity_id,
        source_title, source_subtitle, severity, target, expires_at
      )
      select ${newId()}::uuid, ${definition.code}, ${deduplicationKey}, ${title}, ${description},
        ${source.resourceKind}, ${source.resourceCode}, ${source.entityId}::uuid, ${source.title},
        ${source.subtitle}, ${definition.severity}, ${target === null ? null : JSON.stringify(target)}::jsonb,
        clock_timestamp() + make_interval(secs => ${keptMs}::float8 / 1000)
      where exists (select from recipient)
      on conflict (code, deduplication_key) do nothing
      returning id, created_at, expires_at
    )
    insert into work_center.entries (
      user_id, item_id, kind, view_permission, resource_code, severity, expires_at, sort_at, changes_at
    )
    select r.user_id, n.id, 'Notification', ${`${source.resourceKind}.${source.resourceCode}.view`},
      ${source.resourceCode}, ${definition.severity}, n.expires_at, n.created_at, ${changesAt}
    from notification n, recipient r
    returning user_id, view_permission`)
  return changesOf(rows)
}

const isTold = (to: Audience): SQL =>
  'roleCodes' in to
    ? sql`m.role_code = any(${sql.param(to.roleCodes)}::text[])`
    : sql`m.user_id = any(${sql.param(to.userIds)}::uuid[])`

const changesAt = nextChange({
  isOpen: sql`true`,
  snoozedUntil: sql`null::timestamptz`,
  dueAt: sql`null::timestamptz`,
  expiresAt: sql`n.expires_at`,
})
