import { auditInsert, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { noteUpdated } from '../audit.ts'
import type { NotesConfig } from '../config.ts'
import type { Mention, Note } from '../contract.ts'
import { checkEdit, idsOf, mentionsIn, normalizeText } from '../policy.ts'
import { findNote } from '../queries/find-note.ts'
import { listMentioned } from '../queries/list-mentioned.ts'
import { lockNote } from '../queries/lock-note.ts'
import { insertMentions, markCurrent } from './insert-mentions.ts'

/** A note to edit. `authorize` checks the author's rights after the note is locked. */
export interface EditNote {
  readonly id: string
  readonly text: string
  /** The version of the note when the user loaded it. */
  readonly version: number
  readonly actor: Actor
  readonly authorize: Authorize
  /** Receives the event of new mentions; without it, nobody is notified. */
  readonly outbox?: Pick<Outbox, 'insert'> | undefined
  /** Returns the mentioned users who may read the object; without it, mentions are plain text. */
  readonly mentionsOf?: MentionsOf
}

/** Returns the users that a text mentions, as far as they may read the object. Needs no statement for a plain text. */
export type MentionsOf = (
  db: Db,
  target: BusinessObjectReference,
  text: string,
) => Promise<readonly Mention[]>

/**
 * Replaces the text of a note and writes the audit event. Locks the row before the checks of access and version, so only
 * one of several concurrent edits of the same version succeeds.
 *
 * @throws {NotesError} notes.not_found · notes.version_conflict · notes.deleted · notes.text_required ·
 *   notes.text_too_long · notes.text_invalid; also the errors of `authorize`
 */
export async function editNote(tx: Tx, config: NotesConfig, input: EditNote): Promise<Note> {
  const text = normalizeText(input.text, config.maxTextChars)
  const before = await lockNote(tx, input.id)
  await input.authorize(tx, before.target)
  checkEdit(before, input.version)
  const version = before.version + 1
  const mentions = (await input.mentionsOf?.(tx, before.target, text)) ?? []
  const formerIds = mentionsIn(before.text)
  const known = mentions.length + formerIds.length === 0 ? none : await listMentioned(tx, before.id)
  const userIds = idsOf(mentions)
  const newUserIds = userIds.filter((userId) => !known.has(userId))
  const { id: noteId, target } = before
  const mentionedUserIds = [...new Set([...userIds, ...formerIds.filter((userId) => known.has(userId))])]
  const updated = { text, version, actor: input.actor, mentionedUserIds }
  const [, note] = await Promise.all([
    tx.execute(sql`
      with audit as (${auditInsert(tx, [noteUpdated(before, updated)])})
      ${insertMentions(tx, { noteId, target, newUserIds, actor: input.actor, outbox: input.outbox })},
      current as (${markCurrent(noteId, userIds)})
      update notes.notes
      set text = ${text}, version = ${version},
        updated_at = clock_timestamp(), updated_by_user_id = ${input.actor.userId}::uuid
      where id = ${before.id}::uuid`),
    findNote(tx, before.id),
  ])
  if (note === undefined) throw new Error('The edited note was not found')
  return note
}

const none: ReadonlySet<string> = new Set()
