import type { Note } from '@vertical-kit/ui-client'
import { newNote } from '@vertical-kit/ui-client/stores'
import { part, press, type } from '../act.ts'
import { failing, forbidden, inTurn, never, refused, unreachable } from '../answers.ts'
import {
  accessWith,
  everything,
  features,
  idOf,
  invoice,
  long,
  minutesAgo,
  page,
  people,
  several,
} from '../fixtures.ts'
import { type Stage, scenesOf } from '../scene.ts'

const note = (number: number, more: Partial<Note> = {}): Note => {
  const atUtc = minutesAgo(number * 95)
  return {
    id: idOf(number),
    target: invoice,
    text: 'The customer asked to pay in two parts.',
    version: 1,
    isDeleted: false,
    createdAtUtc: atUtc,
    createdByUserId: people.carl.userId,
    createdByDisplayName: people.carl.displayName,
    updatedAtUtc: atUtc,
    updatedByUserId: people.carl.userId,
    updatedByDisplayName: people.carl.displayName,
    mentions: [],
    ...more,
  }
}

const by = ({ userId, displayName }: { userId: string; displayName: string }): Partial<Note> => ({
  createdByUserId: userId,
  createdByDisplayName: displayName,
})

const mentioning = `@[${people.mona.userId}] please check the address, see `
const address = 'https://example.com/orders/1042'

const few = [
  note(1),
  note(2, {
    text: mentioning + address,
    ...by(people.me),
    mentions: [people.mona],
    links: [{ start: mentioning.length, length: address.length, url: address }],
    version: 3,
    updatedAtUtc: minutesAgo(40),
    updatedByUserId: people.mona.userId,
    updatedByDisplayName: people.mona.displayName,
  }),
]

const many = [
  note(1, { text: `${long.words}. `.repeat(12), ...by(people.long) }),
  note(2, { text: long.arabic, ...by(people.arabic), version: 2 }),
  note(3, { text: long.word.repeat(3) }),
  note(4, { text: 'First line\nSecond line\n\n\tA line with a tab' }),
  ...several(12, (number) => note(number + 4, { text: `Call number ${number}: nobody answered.` })),
]

const first = few[0] ?? note(1)
const mine = 'The customer pays in three parts, the first one on Monday.'

const theirs = note(1, {
  text: 'The customer pays everything on Friday.',
  version: 2,
  updatedByUserId: people.mona.userId,
  updatedByDisplayName: people.mona.displayName,
})

/** Edits the first note and saves it. */
const save = async ({ element }: Stage<'vk-notes'>) => {
  element.store?.write(first.id, mine)
  await element.store?.save(first.id)
}

export const notesScenes = scenesOf(
  'vk-notes',
  { answers: { ...everything, 'GET /api/notes': () => page(few) }, properties: { target: invoice } },
  {
    loading: { title: 'Loading', answers: { 'GET /api/notes': never } },
    empty: { title: 'No notes', answers: { 'GET /api/notes': () => page([]) } },
    few: { title: 'A mention, a link and an edit by another user' },
    many: { title: 'Long texts and names', answers: { 'GET /api/notes': () => page(many, 'next') } },
    failed: { title: 'Loading failed', answers: { 'GET /api/notes': failing } },
    offline: { title: 'The service cannot be reached', answers: { 'GET /api/notes': unreachable } },
    refused: { title: 'The user may not read notes', answers: { 'GET /api/notes': forbidden } },
    off: { title: 'The feature is off', answers: { 'GET /api/features': () => features.slice(0, 1) } },
    'read-only': {
      title: 'The user may only read',
      answers: { 'GET /api/security/me/access': () => accessWith(['system.notes.read']) },
    },
    writing: {
      title: 'A new note near the limit, with people to mention',
      properties: { maxChars: 44 },
      answers: { 'GET /api/notes/mentionable': () => ({ items: Object.values(people) }) },
      setup: ({ element }) => type(element, 'textarea', 'Goods are complete. Please confirm this, @'),
    },
    editing: { title: 'Editing a note', setup: ({ element }) => press(element, `[data-edit="${first.id}"]`) },
    saving: {
      title: 'Saving a note',
      answers: { 'PUT /api/notes/*': never },
      setup: (stage) => void save(stage),
    },
    conflict: {
      title: 'Another user has saved the note first',
      answers: {
        'PUT /api/notes/*': refused(409, 'notes.version_conflict', 'The note was changed.', {
          expectedVersion: 1,
          actualVersion: 2,
        }),
        'GET /api/notes': inTurn(
          () => page(few),
          () => page([theirs]),
        ),
      },
      setup: save,
    },
    deleted: {
      title: 'Another user has deleted the note',
      answers: {
        'PUT /api/notes/*': refused(409, 'notes.deleted', 'The note was deleted.'),
        'GET /api/notes': inTurn(
          () => page(few),
          () => page(few.slice(1)),
        ),
      },
      setup: save,
    },
    'save-failed': {
      title: 'A new note was not saved',
      answers: {
        'POST /api/notes': refused(
          400,
          'notes.text_invalid',
          'The note contains a character that cannot be stored.',
        ),
      },
      setup: async ({ element }) => {
        element.store?.write(newNote, mine)
        await element.store?.save(newNote)
      },
    },
    searched: {
      title: 'No note matches the search',
      answers: { 'GET /api/notes': () => page(many) },
      setup: ({ element }) => type(element, '[type="search"]', 'zebra'),
    },
    expanded: {
      title: 'A long note in full',
      answers: { 'GET /api/notes': () => page(many.slice(0, 1)) },
      setup: async ({ element }) => {
        await press(element, '.more')
        await part(element, '.text:not(.collapsed)')
      },
    },
  },
)
