import { CoreError } from '@vertical-kit/core-audit'
import type { Database, Db, Tx } from '@vertical-kit/core-audit/database'
import {
  type ActingAs,
  type CallerNow,
  type ContentAccess,
  readIfAllowed,
} from '@vertical-kit/core-audit/objects'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { type AddNote, addNote } from './commands/add-note.ts'
import { type DeleteNote, deleteNote } from './commands/delete-note.ts'
import { type EditNote, editNote, type MentionsOf } from './commands/edit-note.ts'
import type { Mentioning } from './commands/insert-mentions.ts'
import type { NotesConfig } from './config.ts'
import type { Note, NotePage } from './contract.ts'
import type { LinkNotes } from './linkers.ts'
import { type ListNotes, listNotes } from './queries/list-notes.ts'

/** The input of `add` and `list`. If `as` is a caller, access is checked like in the routes. `system` skips the checks. */
type As<Input> = Input & { readonly as: ActingAs }

/** The input of a change. Access is checked after the note is locked. A `CallerNow` in `as` first reloads the rights. */
type AsNow<Input> = Omit<Input, 'authorize' | 'mentionsOf' | 'outbox'> & { readonly as: ActingAs | CallerNow }

/**
 * Notes for server code. With `kitTx`, the transaction can be a transaction of the application. Every method requires
 * that the feature is on. Unless `as` is `system`, each method requires the same permission and object access as its
 * route. The `actor` is the author in rows and audit events, whatever `as` is.
 */
export interface NotesContent {
  /**
   * Adds a note with version 1 and writes its audit event.
   * @throws {NotesError} notes.text_required · notes.text_too_long · notes.text_invalid
   * @throws {CoreError} feature.disabled · permission.denied · business_object.unsupported · business_object.not_found
   */
  add(tx: Tx, input: As<Omit<AddNote, 'id' | keyof Mentioning>>): Promise<Note>
  /**
   * Replaces the text of a note and writes the audit event. `version` is the version that the user loaded. Only one of
   * several concurrent edits of the same version succeeds.
   * @throws {NotesError} notes.not_found · notes.deleted · notes.version_conflict · notes.text_required ·
   *   notes.text_too_long · notes.text_invalid
   * @throws {CoreError} feature.disabled · permission.denied · auth.inactive
   */
  edit(tx: Tx, input: AsNow<EditNote>): Promise<Note>
  /**
   * Marks a note as deleted and writes the audit event. The method is idempotent: it returns a deleted note unchanged.
   * @throws {NotesError} notes.not_found · notes.version_conflict
   * @throws {CoreError} feature.disabled · permission.denied · auth.inactive · request.invalid (the version is missing)
   */
  delete(tx: Tx, input: AsNow<DeleteNote>): Promise<Note>
  /**
   * Returns one page of the notes of a business object, newest first.
   * @throws {CoreError} feature.disabled · permission.denied · business_object.unsupported · business_object.not_found
   */
  list(db: Db, query: As<ListNotes>): Promise<NotePage>
}

export interface NotesContentOptions {
  readonly isEnabled: boolean
  readonly newId: Database['newId']
  readonly config: NotesConfig
  readonly access: ContentAccess
  readonly outbox: Pick<Outbox, 'insert'> | undefined
  readonly mentionsOf: MentionsOf
  readonly link: LinkNotes
}

/** Creates the methods for server code with the configuration and the access checks of the deployment. */
export function notesContent(options: NotesContentOptions): NotesContent {
  const { isEnabled, newId, config, access, outbox, mentionsOf, link } = options
  const requireEnabled = (): void => {
    if (!isEnabled) throw new CoreError('feature.disabled')
  }
  return {
    async add(tx, { as, ...input }) {
      requireEnabled()
      await access.requireTarget(tx, as, { permission: 'system.notes.create', target: input.target })
      const mentions = await mentionsOf(tx, input.target, input.text)
      return addNote(tx, config, { ...input, id: newId(), mentions, outbox })
    },
    async edit(tx, { as, ...input }) {
      requireEnabled()
      const authorize = access.authorizing(as, 'system.notes.update')
      return editNote(tx, config, { ...input, authorize, mentionsOf, outbox })
    },
    async delete(tx, { as, ...input }) {
      requireEnabled()
      return deleteNote(tx, { ...input, authorize: access.authorizing(as, 'system.notes.delete') })
    },
    async list(db, { as, ...query }) {
      requireEnabled()
      const needed = { permission: 'system.notes.read', target: query.target }
      const page = await readIfAllowed(access.requireTarget(db, as, needed), listNotes(db, query))
      const items = await link((work) => work(db), as, page.items)
      return { ...page, items: [...items] }
    },
  }
}
