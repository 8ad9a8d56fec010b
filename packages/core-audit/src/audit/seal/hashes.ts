import { type SQL, sql } from '../../database/sql.ts'

/**
 * The hash of the content of an event `e`, without its id: the SHA-256 of a JSON array with its columns in this order, in
 * UTF-8. The array separates the columns, and tells null from an empty text. No part of it depends on a setting of the session
 * or on the version of PostgreSQL: an instant is its number of seconds since 1970, and jsonb has one text for each value.
 *
 * Stored seals contain this hash, so it never changes. A new column of the events needs a second form, for new seals.
 */
export const contentHash: SQL = sql`
  sha256(convert_to(json_build_array(
    e.module, e.target_kind, e.target_type_code, e.target_id, e.action_code, extract(epoch from e.occurred_at),
    e.actor_user_id, e.correlation_id, e.metadata, e.changes
  )::text, 'UTF8'))`

/** The hash of the ids and contents of several events with the columns `id` and `content_hash`. */
export const eventsHash: SQL = sql`
  sha256(coalesce(string_agg(uuid_send(id) || content_hash, ''::bytea order by id), ''))`

/** The mark of an event with the columns `id` and `content_hash`: 4 bytes for its id and 8 bytes for its content. */
export const eventMark: SQL = sql`substring(sha256(uuid_send(id)) for 4) || substring(content_hash for 8)`

/** The hash of a seal `s` with the column `previous_hash`, which is empty for the first seal. */
export const sealHash: SQL = sql`
  sha256(convert_to(json_build_array(
    'vertical-kit.audit-seal/1', s.sequence, encode(s.previous_hash, 'hex'), s.first_event_id, s.last_event_id,
    s.event_count, encode(s.events_hash, 'hex'), encode(sha256(s.event_marks), 'hex'), extract(epoch from s.sealed_at)
  )::text, 'UTF8'))`
