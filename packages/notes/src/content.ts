import { CoreError, newId } from '@vertical-kit/core-audit'
import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type { ActingAs, CallerNow, ContentAccess } from '@vertical-kit/core-audit/objects'
import { type AddNote, addNote } from './commands/add-note.ts'
import { type DeleteNote, deleteNote } from './commands/delete-note.ts'
import { type EditNote, editNote } from './commands/edit-note.ts'
import type { NotesConfig } from './config.ts'
import type { Note, NotePage } from './contract.ts'
import { type ListNotes, listNotes } from './queries/list-notes.ts'

/** Input of `add` and `list`. With a `Caller`, access is checked as in the route; with `system`, it is not checked. */
type As<Input> = Input & { readonly as: ActingAs }

/** Input of a change. Access is checked under the note's lock; `c.get('callerNow')` reloads the caller's rights there. */
type AsNow<Input> = Omit<Input, 'authorize'> & { readonly as: ActingAs | CallerNow }

/**
 * Notes for server code, in a transaction of the kit or, with `kitTx`, of the application. Every method needs the
 * feature. Unless `as` is `system`, it also needs the permission and object access that its route needs. The `actor`
 * is the author in rows and audit events, regardless of `as`.
 */
export interface NotesContent {
  /**
   * Adds a note at version 1, with its audit event.
   * @throws {NotesError} notes.text_required · notes.text_too_long · notes.text_invalid
   * @throws {CoreError} feature.disabled · permission.denied · business_object.unsupported · business_object.not_found
   */
  add(tx: Tx, input: As<Omit<AddNote, 'id'>>): Promise<Note>
  /**
   * Replaces a note's text, with its audit event. Needs the version that the author saw: exactly one of several edits
   * of one version succeeds.
   * @throws {NotesError} notes.not_found · notes.deleted · notes.version_conflict · notes.text_required ·
   *   notes.text_too_long · notes.text_invalid
   * @throws {CoreError} feature.disabled · permission.denied · auth.inactive
   */
  edit(tx: Tx, input: AsNow<EditNote>): Promise<Note>
  /**
   * Marks a note as deleted, with its audit event. Idempotent: a deleted note is returned unchanged.
   * @throws {NotesError} notes.not_found · notes.version_conflict
   * @throws {CoreError} feature.disabled · permission.denied · auth.inactive · request.invalid without a version
   */
  delete(tx: Tx, input: AsNow<DeleteNote>): Promise<Note>
  /**
   * Lists one page of an object's notes, newest first.
   * @throws {CoreError} feature.disabled · permission.denied · business_object.unsupported · business_object.not_found
   */
  list(db: Db, query: As<ListNotes>): Promise<NotePage>
}

export interface NotesContentOptions {
  readonly isEnabled: boolean
  readonly config: NotesConfig
  readonly access: ContentAccess
}

/** Binds the commands and the list to a deployment's configuration and business objects. */
export function notesContent({ isEnabled, config, access }: NotesContentOptions): NotesContent {
  const requireEnabled = (): void => {
    if (!isEnabled) throw new CoreError('feature.disabled')
  }
  return {
    async add(tx, { as, ...input }) {
      requireEnabled()
      await access.requireTarget(tx, as, { permission: 'system.notes.create', target: input.target })
      return addNote(tx, config, { ...input, id: newId() })
    },
    async edit(tx, { as, ...input }) {
      requireEnabled()
      return editNote(tx, config, { ...input, authorize: access.authorizing(as, 'system.notes.update') })
    },
    async delete(tx, { as, ...input }) {
      requireEnabled()
      return deleteNote(tx, { ...input, authorize: access.authorizing(as, 'system.notes.delete') })
    },
    async list(db, { as, ...query }) {
      requireEnabled()
      await access.requireTarget(db, as, { permission: 'system.notes.read', target: query.target })
      return listNotes(db, query)
    },
  }
}
