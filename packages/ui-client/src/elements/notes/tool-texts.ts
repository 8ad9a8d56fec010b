/** Texts of the tools of a note and of the search. */
export const noteToolTexts = {
  add: 'Add note',
  save: 'Save',
  saving: 'Saving…',
  discard: 'Discard',
  found: (count: number, total: number) => `${count} of ${total} notes match.`,
  /** The result of a search before all notes are loaded. */
  foundSoFar: (count: number, searched: number) => `${count} of the newest ${searched} notes match.`,
  searchOlder: 'Search older notes',
  remaining: (count: number) =>
    count < 0 ? `${-count} characters too many` : `${count} characters remaining`,
  mention: 'People to mention',
  mentionHint: (count: number) =>
    `${count === 1 ? '1 person' : `${count} people`} to mention. Use the arrow keys, and Enter to pick.`,
  conflictTitle: 'This note was changed while you were editing.',
  deletedTitle: 'This note was deleted while you were editing.',
  theirs: (author: string) => `Version of ${author}`,
  keepMine: 'Save my version',
  keepAsNew: 'Save as a new note',
  takeTheirs: 'Discard my version',
}

/** The English texts of this part. */
export const noteToolsEnglish = { notes: noteToolTexts }
