export type { StoredFile, StoreFile } from './commands/store-file.ts'
export { type AttachmentsConfig, readAttachmentsConfig, type StorageConfig } from './config.ts'
export type { AttachmentsContent } from './content.ts'
export { AttachmentsError } from './errors.ts'
export { attachmentsMigrations } from './migrations.ts'
export {
  type Attachments,
  type AttachmentsOptions,
  attachmentsFeature,
  createAttachments,
} from './module.ts'
export type { FileToScan, ScanFile, ScanVerdict } from './scanning/scanner.ts'
