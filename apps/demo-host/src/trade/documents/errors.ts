import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The errors of the draft routes. These routes also return the errors of all documents (`DocumentActionsError`). */
export const DocumentsError = defineErrors('DocumentsError', {
  'documents.in_use': refusal(409, 'Other documents refer to this one, so it cannot be deleted.'),
  'documents.creation_conflict': refusal(422, 'The creation key was used for a document with other fields.'),
})
