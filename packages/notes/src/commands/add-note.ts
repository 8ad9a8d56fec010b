import { auditInsert, sql, toInstant } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { noteCreated } from '../audit.ts'
import type { NotesConfig } from '../config.ts'
import type { Note } from '../contract.ts'
import { findAddresses, idsOf, inOrderOf, linksOf, normalizeText } from '../policy.ts'
import type { notes } from '../schema.ts'
import { insertMentions, type Mentioning } from './insert-mentions.ts'

/** A note to add. The command checks the text, but not the author's permissions or the target. */
export interface AddNote extends Partial<Mentioning> {
  /** A UUIDv7, because lists are sorted by id. */
  readonly id: string
  readonly target: BusinessObjectReference
  readonly text: string
  readonly actor: Actor
}

/**
 * Adds a note with version 1 and writes its audit event. Runs one statement, so callers can use `database.append`.
 * The caller must first check that the author may add notes to the target.
 *
 * @throws {NotesError} notes.text_required · notes.text_too_long · notes.text_invalid
 */
export async function addNote(tx: Tx, config: NotesConfig, input: AddNote): Promise<Note> {
  const { id, target, actor, outbox, mentions = [] } = input
  const text = normalizeText(input.text, config.maxTextChars)
  const mentionedUserIds = idsOf(mentions)
  const [row] = await tx.execute<RowOf<typeof notes, 'createdAt'>>(sql`
    with audit as (${auditInsert(tx, [noteCreated({ target, noteId: id, text, actor, mentionedUserIds })])})
    ${insertMentions(tx, { noteId: id, target, newUserIds: mentionedUserIds, actor, outbox })}
    insert into notes.notes (
      id, target_kind, target_type_code, target_id, text, created_by_user_id, updated_by_user_id
    )
    values (
      ${id}::uuid, ${target.kind}, ${target.typeCode}, ${target.id}::uuid, ${text},
      ${actor.userId}::uuid, ${actor.userId}::uuid
    )
    returning created_at`)
  if (row === undefined) throw new Error('Inserting a note returned no row')
  const createdAtUtc = toInstant(row.created_at)
  return {
    id,
    target,
    text,
    version: 1,
    isDeleted: false,
    createdAtUtc,
    createdByUserId: actor.userId,
    createdByDisplayName: actor.displayName,
    updatedAtUtc: createdAtUtc,
    updatedByUserId: actor.userId,
    updatedByDisplayName: actor.displayName,
    mentions: inOrderOf(text, mentions),
    ...linksOf(findAddresses(text)),
  }
}
