import * as attachments from '@vertical-kit/attachments'
import * as contract from '@vertical-kit/attachments/contract'
import * as schema from '@vertical-kit/attachments/schema'
import { expect, test } from 'vitest'

test('the package exports only its documented names', () => {
  expect(Object.keys(attachments).sort()).toEqual([
    'AttachmentsError',
    'attachmentsFeature',
    'attachmentsMigrations',
    'createAttachments',
    'readAttachmentsConfig',
  ])
  expect(Object.keys(contract).sort()).toEqual([
    'Attachment',
    'AttachmentPage',
    'CreateUploadBody',
    'DeleteAttachmentQuery',
    'Download',
    'ListAttachmentsQuery',
    'MultipartUpload',
    'PresignedPart',
    'PresignedParts',
    'PresignedUpload',
    'SignPartsBody',
    'Upload',
    'UploadedPart',
    'UploadedParts',
    'attachmentStatuses',
  ])
  expect(Object.keys(schema).sort()).toEqual(['attachments', 'attachmentsSchema'])
})

test('every error code has its documented HTTP status and headers', () => {
  const { table } = attachments.AttachmentsError
  expect(
    Object.entries(table).map(([code, { status }]) => `${status} ${code.replace('attachments.', '')}`),
  ).toEqual([
    '404 not_found',
    '400 file_name_invalid',
    '400 content_type_invalid',
    '400 file_too_large',
    '409 count_limit_exceeded',
    '409 upload_missing',
    '409 size_mismatch',
    '409 content_type_mismatch',
    '409 upload_changed',
    '409 upload_expired',
    '409 no_multipart_upload',
    '409 not_ready',
    '409 quarantined',
    '409 deleted',
    '409 already_attached',
    '503 storage_unavailable',
  ])
  expect(table['attachments.storage_unavailable'].headers).toEqual({ 'Retry-After': '5' })
})
