import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type {
  AddNote,
  DeleteNote,
  EditNote,
  ListNotes,
  Notes,
  NotesConfig,
  NotesOptions,
} from '@vertical-kit/notes'
import * as notes from '@vertical-kit/notes'
import type { Note, NotePage } from '@vertical-kit/notes/contract'
import * as contract from '@vertical-kit/notes/contract'
import packageJson from '@vertical-kit/notes/package.json' with { type: 'json' }
import * as schema from '@vertical-kit/notes/schema'
import { expect, expectTypeOf, test } from 'vitest'

test('the package exports only its documented names', () => {
  expect(Object.keys(packageJson.exports)).toEqual(['.', './contract', './schema', './package.json'])
  expect(Object.keys(notes).toSorted()).toEqual([
    'NotesError',
    'addNote',
    'createNotes',
    'deleteNote',
    'editNote',
    'listNotes',
    'noteMentioned',
    'notesFeature',
    'notesMigrations',
    'readNotesConfig',
  ])
  expect(Object.keys(contract).toSorted()).toEqual([
    'CreateNoteBody',
    'DeleteNoteQuery',
    'ListMentionableQuery',
    'ListNotesQuery',
    'Mention',
    'MentionableUsers',
    'Note',
    'NoteLink',
    'NotePage',
    'UpdateNoteBody',
  ])
  expect(Object.keys(schema).toSorted()).toEqual(['mentions', 'notes', 'notesSchema'])
})

test('writing functions require a Tx, and reading functions accept a Db', () => {
  expectTypeOf(notes.addNote).toEqualTypeOf<(tx: Tx, config: NotesConfig, input: AddNote) => Promise<Note>>()
  expectTypeOf(notes.editNote).toEqualTypeOf<
    (tx: Tx, config: NotesConfig, input: EditNote) => Promise<Note>
  >()
  expectTypeOf(notes.deleteNote).toEqualTypeOf<(tx: Tx, input: DeleteNote) => Promise<Note>>()
  expectTypeOf(notes.listNotes).toEqualTypeOf<(db: Db, query: ListNotes) => Promise<NotePage>>()
  expectTypeOf(notes.createNotes).toEqualTypeOf<(options: NotesOptions) => Notes>()
  expectTypeOf<Tx>().toExtend<Db>()
  expectTypeOf<Db>().not.toExtend<Tx>()
})

test('every error code has its documented HTTP status', () => {
  expect(Object.entries(notes.NotesError.table).map(([code, { status }]) => `${status} ${code}`)).toEqual([
    '404 notes.not_found',
    '400 notes.text_required',
    '400 notes.text_too_long',
    '400 notes.text_invalid',
    '409 notes.version_conflict',
    '409 notes.deleted',
  ])
})

test('the type of an error context depends on the error code', () => {
  const context = { expectedVersion: 1, actualVersion: 2 }
  expect(new notes.NotesError('notes.version_conflict', { context })).toMatchObject({ context })
  // @ts-expect-error: `notes.text_too_long` requires a different context
  expect(new notes.NotesError('notes.text_too_long', { context })).toBeInstanceOf(Error)
  // @ts-expect-error: the package does not define this code
  expect(() => new notes.NotesError('notes.unknown')).toThrow(TypeError)
})
