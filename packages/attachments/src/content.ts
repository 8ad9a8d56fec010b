import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type { ActingAs, ContentAccess } from '@vertical-kit/core-audit/objects'
import { type AttachFile, attachFile } from './commands/attach-file.ts'
import { type StoredFile, type StoreFile, storeFile } from './commands/store-file.ts'
import type { AttachmentsConfig } from './config.ts'
import type { Attachment, AttachmentPage } from './contract.ts'
import { type ListAttachments, listAttachments } from './queries/list-attachments.ts'
import type { ObjectStorage } from './storage/object-storage.ts'

/** Rights of a caller, checked like the route's, or `system` for none. */
type As<Input> = Input & { readonly as: ActingAs }

/**
 * Attachments for server code: it stores a file first, then attaches it in its own transaction, the kit's or, with
 * `kitTx`, the application's. Every method needs the feature.
 */
export interface AttachmentsContent {
  /**
   * Sends a file to the object store and returns it for {@link attach}. Call it outside any transaction: it uses no
   * connection, and takes as long as the store does. The store must accept bytes, and answer, at least once per
   * `Attachments__Storage__RequestTimeoutSeconds`. A file that is never attached stays in the store unseen, since the
   * service deletes nothing there.
   *
   * @throws {AttachmentsError} attachments.file_name_invalid · content_type_invalid · file_too_large · size_mismatch (the
   *   body is not as long as `sizeBytes`) · storage_unavailable; also whatever the body rejects with, and the signal's
   *   reason
   * @throws {CoreError} feature.disabled
   * @throws {TypeError} when `sizeBytes` is no whole number, or the body has a chunk other than bytes
   */
  store(file: StoreFile): Promise<StoredFile>
  /**
   * Makes a stored file a ready attachment, with the audit event `attachments.upload_completed`: together with what else
   * `tx` writes, or not at all. One stored file becomes one attachment; a refusal undoes nothing else. The `actor` is its
   * author, whatever `as` is; a caller needs `system.attachments.create` and the parent.
   *
   * @throws {AttachmentsError} attachments.count_limit_exceeded · already_attached
   * @throws {TypeError} when the transaction is not READ COMMITTED
   * @throws {CoreError} feature.disabled · permission.denied · business_object.unsupported · business_object.not_found
   * @throws {TypeError} for a file that `store` did not return
   */
  attach(tx: Tx, stored: StoredFile, options: As<Omit<AttachFile, 'stored'>>): Promise<Attachment>
  /**
   * Lists one page of an object's ready attachments, newest first. A caller needs `system.attachments.read` and the parent.
   * @throws {CoreError} feature.disabled · permission.denied · business_object.unsupported · business_object.not_found
   */
  list(db: Db, query: As<ListAttachments>): Promise<AttachmentPage>
}

export interface AttachmentsContentOptions {
  /** Throws feature.disabled while the feature is off. */
  readonly requireStorage: () => ObjectStorage
  readonly config: AttachmentsConfig
  readonly access: ContentAccess
}

/** Binds the commands and the list to a deployment's configuration, store and parents. */
export function attachmentsContent(options: AttachmentsContentOptions): AttachmentsContent {
  const { requireStorage, config, access } = options
  return {
    async store(file) {
      return storeFile(requireStorage(), config, file)
    },
    async attach(tx, stored, { as, target, actor }) {
      requireStorage()
      await access.requireTarget(tx, as, { permission: 'system.attachments.create', target })
      return attachFile(tx, config, { stored, target, actor })
    },
    async list(db, { as, ...query }) {
      requireStorage()
      await access.requireTarget(db, as, { permission: 'system.attachments.read', target: query.target })
      return listAttachments(db, query)
    },
  }
}
