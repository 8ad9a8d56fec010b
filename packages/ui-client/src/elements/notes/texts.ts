/** Texts of the notes panel. */
export const notesTexts = {
  title: 'Notes',
  newNote: 'New note',
  placeholder: 'Write a note… @ mentions someone.',
  edit: 'Edit',
  editOf: (author: string) => `Edit the note by ${author}`,
  deleteOf: (author: string) => `Delete the note by ${author}`,
  saved: 'Note saved.',
  deleted: 'Note deleted.',
  notDeleted: 'The note was not deleted.',
  notSaved: 'Your note was not saved. Its text is kept.',
  showAll: 'Show all',
  showLess: 'Show less',
  search: 'Search notes',
  noneFound: 'No note matches.',
  edited: 'edited',
  editedBy: (name: string) => `edited by ${name}`,
  empty: 'No notes yet.',
  emptyHint: 'Write down what the next person should know.',
  mine: 'Your version',
}

/** The English texts of this group. */
export const notesEnglish = { notes: notesTexts }
