import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** What documents and their actions refuse. */
export const DocumentActionsError = defineErrors('DocumentActionsError', {
  'documents.not_found': refusal(404, 'There is no such document, or it is not visible to you.'),
  'documents.version_conflict': refusal<{ expectedVersion: number; actualVersion: number }>(
    409,
    'The document changed after it was loaded.',
  ),
  'document_action.not_found': refusal(404, 'Documents of this type have no such action.'),
  'document_action.forbidden': refusal(403, 'You may not do this with documents of this type.'),
  'document_action.unavailable': refusal<{ reasonCodes: readonly string[] }>(
    409,
    'This cannot be done with the document as it is.',
  ),
  'document_action.idempotency_key_required': refusal(400, 'Send an Idempotency-Key header.'),
  'document_action.idempotency_key_invalid': refusal(
    400,
    'An Idempotency-Key is 1 to 200 visible ASCII characters.',
  ),
  'document_action.idempotency_conflict': refusal(
    422,
    'You used this Idempotency-Key before, for another request.',
  ),
  'document_action.in_progress': refusal(409, 'This request is being executed right now.', {
    'Retry-After': '1',
  }),
  'document_action.reason_required': refusal(400, 'This action needs a reason.'),
  'document_action.reason_invalid': refusal<{ maxChars: number }>(
    400,
    'A reason is 1 to 1,000 characters, not all of them blank.',
  ),
})
