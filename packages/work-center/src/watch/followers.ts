import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { toJson } from '../commands/to-json.ts'
import type { WatchedEvent } from './watched-events.ts'

/** A follower of an object, and their window for the work of one actor on it. */
export interface Follower {
  readonly userId: string
  /** The key of the object and the actor: see {@link workOf}. */
  readonly work: string
  readonly watchedAtMs: number
  /** The start of the last window; `null` if there is none. */
  readonly startedAtMs: number | null
}

/** Returns the key of an actor's work on an object. */
export const workOf = ({ target, actorUserId }: WatchedEvent): string =>
  `${target.kind}/${target.typeCode}/${target.id}/${actorUserId}`

/** Returns the followers of the objects of these events, without the actors, and their windows. Runs one statement. */
export async function listFollowers(tx: Tx, events: readonly WatchedEvent[]): Promise<readonly Follower[]> {
  const works = [...new Map(events.map((event) => [workOf(event), event]))].map(
    ([work, { target, actorUserId }]) => ({ work, ...target, actor: actorUserId }),
  )
  const rows = await tx.execute<{
    work: string
    user_id: string
    watched_at_ms: number
    started_at_ms: number | null
  }>(sql`
    select k.work, w.user_id,
      (extract(epoch from w.watched_at) * 1000)::float8 as watched_at_ms,
      (extract(epoch from o.started_at) * 1000)::float8 as started_at_ms
    from jsonb_to_recordset(${toJson(works)}::jsonb) k (work text, kind text, "typeCode" text, id uuid, actor uuid)
    join work_center.watches w
      on w.target_id = k.id and w.target_type_code = k."typeCode" and w.target_kind = k.kind and w.user_id <> k.actor
    left join work_center.watch_windows o
      on o.target_id = k.id and o.target_type_code = k."typeCode" and o.target_kind = k.kind
        and o.actor_user_id = k.actor and o.user_id = w.user_id
    order by k.work, w.user_id`)
  return rows.map((row) => ({
    userId: row.user_id,
    work: row.work,
    watchedAtMs: row.watched_at_ms,
    startedAtMs: row.started_at_ms,
  }))
}

/** A new window of some followers. */
export interface OpenedWindow {
  readonly event: WatchedEvent
  readonly userIds: readonly string[]
}

/** Stores the starts of windows, and deletes those that are over. Runs two statements. */
export async function openWindows(
  tx: Tx,
  { windows, overBeforeMs }: { readonly windows: readonly OpenedWindow[]; readonly overBeforeMs: number },
): Promise<void> {
  // A follower's last window counts. PostgreSQL refuses to change a row twice in one statement.
  const last = new Map(
    windows.flatMap(({ event, userIds }) =>
      userIds.map((userId) => [
        `${workOf(event)}/${userId}`,
        { ...event.target, actor: event.actorUserId, user: userId, at: event.occurredAtMs },
      ]),
    ),
  )
  await Promise.all([
    tx.execute(sql`
      delete from work_center.watch_windows where started_at < to_timestamp(${overBeforeMs}::float8 / 1000)`),
    tx.execute(sql`
      insert into work_center.watch_windows (target_kind, target_type_code, target_id, actor_user_id, user_id, started_at)
      select k.kind, k."typeCode", k.id, k.actor, k."user", to_timestamp(k.at / 1000)
      from jsonb_to_recordset(${toJson([...last.values()])}::jsonb)
        k (kind text, "typeCode" text, id uuid, actor uuid, "user" uuid, at float8)
      on conflict on constraint watch_windows_pkey do update set started_at = excluded.started_at`),
  ])
}
