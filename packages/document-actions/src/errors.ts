import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The errors of documents and their actions: codes, HTTP statuses and messages. */
export const DocumentActionsError = defineErrors('DocumentActionsError', {
  'documents.not_found': refusal(404, 'The document does not exist or is not visible to you.'),
  'documents.version_conflict': refusal<{ expectedVersion: number; actualVersion: number }>(
    409,
    'The document changed after it was loaded.',
  ),
  'documents.not_draft': refusal<{ status: string }>(409, 'Only a draft can be changed or deleted.'),
  'document_action.not_found': refusal(404, 'Documents of this type have no such action.'),
  'document_action.forbidden': refusal(
    403,
    'You do not have permission to perform this action on documents of this type.',
  ),
  'document_action.unavailable': refusal<{ reasonCodes: readonly string[] }>(
    409,
    'This action is not available in the current state of the document.',
  ),
  'document_action.idempotency_key_required': refusal(400, 'Send an Idempotency-Key header.'),
  'document_action.idempotency_key_invalid': refusal(
    400,
    'An Idempotency-Key must have 1 to 200 visible ASCII characters.',
  ),
  'document_action.idempotency_conflict': refusal(
    422,
    'This Idempotency-Key was already used for a different request.',
  ),
  'document_action.in_progress': refusal(409, 'This request is already being processed.', {
    'Retry-After': '1',
  }),
  'document_action.reason_required': refusal(400, 'This action requires a reason.'),
  'document_action.reason_invalid': refusal<{ maxChars: number }>(
    400,
    'A reason must have 1 to 1,000 characters and must not be blank.',
  ),
})
