import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** What documents refuse. */
export const DocumentsError = defineErrors('DocumentsError', {
  'documents.not_found': refusal(404, 'There is no such document, or it is not visible to you.'),
  'documents.not_draft': refusal<{ status: string }>(409, 'Only a draft can be changed or deleted.'),
  'documents.in_use': refusal(409, 'Other documents name this one, so it cannot be deleted.'),
})
