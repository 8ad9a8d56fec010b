import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import type { Mention } from '../contract.ts'
import { mentionedEvent } from '../outbox.ts'

/** The mentions that a change adds to a note. */
export interface Mentioning {
  /** The mentioned users who may read the object. All other mentions are plain text. */
  readonly mentions: readonly Mention[]
  /** Receives the event of new mentions; without it, nobody is notified. */
  readonly outbox?: Pick<Outbox, 'insert'> | undefined
}

export interface InsertMentions extends Pick<Mentioning, 'outbox'> {
  readonly noteId: string
  readonly target: BusinessObjectReference
  /** Users that the note has not mentioned before. */
  readonly newUserIds: readonly string[]
  readonly actor: Actor
}

/** Returns the statement that makes these users the current mentions among the stored ones. Uses the primary key. */
export const markCurrent = (noteId: string, userIds: readonly string[]): SQL => sql`
        update notes.mentions
        set is_current = not is_current
        where note_id = ${noteId}::uuid and is_current <> (user_id = any(${sql.param(userIds)}::uuid[]))`

/** Returns the parts of a `with` clause that store mentions and append their event. Empty for a note without new mentions. */
export function insertMentions(tx: Tx, { noteId, target, newUserIds, actor, outbox }: InsertMentions): SQL {
  if (newUserIds.length === 0) return sql.empty()
  const userIds = newUserIds.filter((userId) => userId !== actor.userId)
  const event =
    outbox === undefined || userIds.length === 0
      ? sql.empty()
      : sql`, outbox as (${outbox.insert(tx, [mentionedEvent({ noteId, target, userIds }, actor)])})`
  return sql`,
    mention as (
      insert into notes.mentions (note_id, user_id)
      select ${noteId}::uuid, user_id from unnest(${sql.param(newUserIds)}::uuid[]) user_id
    )${event}`
}
