/** Texts of the notes panel. */
export const notesTexts = {
  title: 'Notes',
  newNote: 'New note',
  placeholder: 'Write a note… @ mentions someone.',
  add: 'Add note',
  edit: 'Edit',
  editOf: (author: string) => `Edit the note by ${author}`,
  deleteOf: (author: string) => `Delete the note by ${author}`,
  save: 'Save',
  saving: 'Saving…',
  saved: 'Note saved.',
  deleted: 'Note deleted.',
  discard: 'Discard',
  showAll: 'Show all',
  showLess: 'Show less',
  search: 'Search notes',
  found: (count: number, total: number) => `${count} of ${total} notes match.`,
  /** The result of a search before all notes are loaded. */
  foundSoFar: (count: number, searched: number) => `${count} of the newest ${searched} notes match.`,
  noneFound: 'No note matches.',
  searchOlder: 'Search older notes',
  remaining: (count: number) =>
    count < 0 ? `${-count} characters too many` : `${count} characters remaining`,
  edited: 'edited',
  editedBy: (name: string) => `edited by ${name}`,
  mention: 'People to mention',
  mentionHint: (count: number) =>
    `${count === 1 ? '1 person' : `${count} people`} to mention. Use the arrow keys, and Enter to pick.`,
  empty: 'No notes yet.',
  emptyHint: 'Write down what the next person should know.',
  conflictTitle: 'Someone else changed this note while you were editing.',
  deletedTitle: 'This note was deleted while you were editing.',
  theirs: (author: string) => `Version of ${author}`,
  mine: 'Your version',
  keepMine: 'Save my version',
  keepAsNew: 'Save as a new note',
  takeTheirs: 'Discard my version',
}

/** The English texts of this group. */
export const notesEnglish = { notes: notesTexts }
