import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The errors of attachments: codes, HTTP statuses and messages. */
export const AttachmentsError = defineErrors('AttachmentsError', {
  'attachments.not_found': refusal(404, 'The attachment does not exist or is not visible to you.'),
  'attachments.file_name_invalid': refusal(400, 'The file name is not valid.'),
  'attachments.content_type_invalid': refusal(
    400,
    'The content type must be a media type, such as image/png.',
  ),
  'attachments.file_too_large': refusal<{ maxSizeBytes: number }>(400, 'The file is too large.'),
  'attachments.count_limit_exceeded': refusal<{ maxActivePerObject: number }>(
    409,
    'This object has reached its attachment limit, including uploads in progress.',
  ),
  'attachments.upload_missing': refusal(409, 'The file has not been uploaded yet.'),
  'attachments.size_mismatch': refusal(409, 'The size of the uploaded file differs from the declared size.'),
  'attachments.content_type_mismatch': refusal(
    409,
    'The content type of the uploaded file differs from the declared one.',
  ),
  'attachments.upload_changed': refusal(
    409,
    'The uploaded file changed while it was being checked. Try again.',
  ),
  'attachments.upload_expired': refusal(409, 'The upload was not completed in time. Start a new one.'),
  'attachments.no_multipart_upload': refusal(409, 'This attachment has no multipart upload in progress.'),
  'attachments.not_ready': refusal(
    409,
    'The upload of this attachment has not been completed, or the file is being checked for malware.',
  ),
  'attachments.quarantined': refusal(409, 'The file contains malware and is quarantined.'),
  'attachments.deleted': refusal(409, 'The attachment was deleted.'),
  'attachments.already_attached': refusal(409, 'This file is already attached.'),
  'attachments.storage_unavailable': refusal(503, 'The file storage cannot be reached. Try again.', {
    'Retry-After': '5',
  }),
})
