import { type Caller, changeAs } from '@vertical-kit/core-audit/access'
import { targetOf } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { api, type Guard, type KitEnv } from '@vertical-kit/core-audit/http'
import type { BusinessObjects, ContentAccess } from '@vertical-kit/core-audit/objects'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { type Context, Hono } from 'hono'
import { addNote } from './commands/add-note.ts'
import type { MentionsOf } from './commands/edit-note.ts'
import type { NotesConfig } from './config.ts'
import type { NotesContent } from './content.ts'
import {
  CreateNoteBody,
  DeleteNoteQuery,
  ListMentionableQuery,
  ListNotesQuery,
  MentionableUsers,
  Note,
  NotePage,
  UpdateNoteBody,
} from './contract.ts'
import type { LinkNotes } from './linkers.ts'
import { normalizeText, parseVersion } from './policy.ts'
import { findNote } from './queries/find-note.ts'

export interface NotesRoutesOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  readonly access: ContentAccess
  readonly content: NotesContent
  readonly config: NotesConfig
  readonly guard: Guard
  readonly outbox: Pick<Outbox, 'insert'> | undefined
  readonly mentionsOf: MentionsOf
  readonly link: LinkNotes
}

const targetErrors = ['feature.disabled', 'business_object.unsupported', 'business_object.not_found'] as const
const textErrors = ['notes.text_required', 'notes.text_too_long', 'notes.text_invalid'] as const

/** A picker shows a short list; typing more letters narrows it. */
const maxMentionable = 20

/** Creates the routes under `/api/notes`. */
export function notesRoutes(options: NotesRoutesOptions): Hono<KitEnv> {
  const { database, businessObjects, access, content, config, outbox, mentionsOf, link } = options
  const guards = [options.guard]
  // A client could escape every UTF-16 unit as six bytes (\uXXXX). The limit rejects such long bodies on purpose.
  const bodyLimitBytes = 4 * config.maxTextChars + 4 * 1024
  const tag = 'Notes'

  /** Returns the note with this id. Rejects if the caller is not allowed to read its target. */
  const requireVisible = (caller: Caller, id: string): Promise<Note> =>
    database.read(async (db) => access.requireVisible(db, caller, await findNote(db, id)))

  /**
   * Adds the links that the caller may follow to a written note. If they cannot be read, the answer has no links to objects: an
   * error would look like a failed write, and its repetition would add the note again.
   */
  const linked = async (c: Context<KitEnv>, note: Note): Promise<Note> => {
    const [shown = note] = await link(database.read, c.get('caller'), [note]).catch((err: unknown) => {
      const fields = { err, requestId: c.get('requestId') }
      c.get('logger')?.warn(fields, 'The links of a written note could not be read.')
      return []
    })
    return shown
  }

  return new Hono<KitEnv>()
    .get(
      '/api/notes/mentionable',
      api({
        operationId: 'listMentionableUsers',
        tag,
        summary:
          'Lists at most 20 users that a note on this object can mention: those who may read the object.',
        guards,
        permission: 'system.notes.read',
        query: ListMentionableQuery,
        responses: { 200: { description: 'The users', schema: MentionableUsers } },
        errors: targetErrors,
      }),
      async (c) => {
        const { q, ...query } = c.req.valid('query')
        const target = targetOf(query)
        const needed = { permission: 'system.notes.read', target }
        const search = { reference: target, text: q, limit: maxMentionable }
        const readers = await database.read(async (db) => {
          await access.requireTarget(db, c.get('caller'), needed)
          return businessObjects.searchReaders(db, search)
        })
        const items = readers.map(({ userId, displayName }) => ({ userId: userId ?? '', displayName }))
        return c.json({ items } satisfies MentionableUsers)
      },
    )
    .get(
      '/api/notes',
      api({
        operationId: 'listNotes',
        tag,
        summary: 'Lists the notes of one business object, newest first.',
        guards,
        permission: 'system.notes.read',
        query: ListNotesQuery,
        responses: { 200: { description: 'One page', schema: NotePage } },
        errors: targetErrors,
      }),
      async (c) => {
        const query = c.req.valid('query')
        const target = targetOf(query)
        const as = c.get('caller')
        const page = { as, target, limit: query.limit, cursor: query.cursor ?? null }
        return c.json(await database.read((db) => content.list(db, page), as.since))
      },
    )
    .post(
      '/api/notes',
      api({
        operationId: 'createNote',
        tag,
        summary: 'Adds a note to a business object.',
        guards,
        permission: 'system.notes.create',
        body: CreateNoteBody,
        bodyLimitBytes,
        responses: { 201: { description: 'The note, at version 1', schema: Note } },
        errors: [...targetErrors, ...textErrors],
      }),
      async (c) => {
        const { target, text: rawText } = c.req.valid('json')
        const text = normalizeText(rawText, config.maxTextChars)
        const needed = { permission: 'system.notes.create', target }
        const mentions = await database.read(async (db) => {
          await access.requireTarget(db, c.get('caller'), needed)
          return mentionsOf(db, target, text)
        })
        const actor = await c.get('actor')()
        const note = await database.append((tx) =>
          addNote(tx, config, { id: tx.newId(), target, text, actor, mentions, outbox }),
        )
        return c.json(await linked(c, note), 201)
      },
    )
    .put(
      '/api/notes/:id',
      api({
        operationId: 'updateNote',
        tag,
        summary: 'Replaces the text of a note. Requires the loaded version.',
        guards,
        permission: 'system.notes.update',
        body: UpdateNoteBody,
        bodyLimitBytes,
        responses: { 200: { description: 'The edited note, with the next version', schema: Note } },
        errors: [
          'feature.disabled',
          'notes.not_found',
          'notes.deleted',
          'notes.version_conflict',
          ...textErrors,
        ],
      }),
      async (c) => {
        const { text: rawText, version } = c.req.valid('json')
        const text = normalizeText(rawText, config.maxTextChars)
        const { id } = await requireVisible(c.get('caller'), c.req.param('id'))
        const input = { as: c.get('callerNow'), id, text, version }
        const edited = await changeAs(database, c.var, (tx, actor) => content.edit(tx, { ...input, actor }))
        return c.json(await linked(c, edited))
      },
    )
    .delete(
      '/api/notes/:id',
      api({
        operationId: 'deleteNote',
        tag,
        summary: 'Deletes a note. Requires the loaded version; a repeat returns the same note.',
        guards,
        permission: 'system.notes.delete',
        query: DeleteNoteQuery,
        responses: { 200: { description: 'The deleted note', schema: Note } },
        errors: ['feature.disabled', 'request.invalid', 'notes.not_found', 'notes.version_conflict'],
      }),
      async (c) => {
        const version = parseVersion(c.req.valid('query').version)
        const { id } = await requireVisible(c.get('caller'), c.req.param('id'))
        const input = { as: c.get('callerNow'), id, version }
        const deleted = await changeAs(database, c.var, (tx, actor) =>
          content.delete(tx, { ...input, actor }),
        )
        return c.json(await linked(c, deleted))
      },
    )
}
