export { type AttachmentsConfig, readAttachmentsConfig, type StorageConfig } from './config.ts'
export { AttachmentsError } from './errors.ts'
export { attachmentsMigrations } from './migrations.ts'
export {
  type Attachments,
  type AttachmentsOptions,
  attachmentsFeature,
  createAttachments,
} from './module.ts'
