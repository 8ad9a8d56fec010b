import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The errors of notes: codes, HTTP statuses and messages. */
export const NotesError = defineErrors('NotesError', {
  'notes.not_found': refusal(404, 'The note does not exist or is not visible to you.'),
  'notes.text_required': refusal(400, 'A note cannot be empty.'),
  'notes.text_too_long': refusal<{ maxChars: number; actualChars: number }>(400, 'The note is too long.'),
  'notes.text_invalid': refusal(400, 'The note contains a character that cannot be stored.'),
  'notes.version_conflict': refusal<{ expectedVersion: number; actualVersion: number }>(
    409,
    'The note changed after it was loaded.',
  ),
  'notes.deleted': refusal(409, 'The note was deleted.'),
})
