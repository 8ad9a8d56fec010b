import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type { ActingAs, ContentAccess } from '@vertical-kit/core-audit/objects'
import { type AttachFile, attachFile } from './commands/attach-file.ts'
import { type StoredFile, type StoreFile, storeFile } from './commands/store-file.ts'
import type { AttachmentsConfig } from './config.ts'
import type { Attachment, AttachmentPage } from './contract.ts'
import { type ListAttachments, listAttachments } from './queries/list-attachments.ts'
import type { ObjectStorage } from './storage/object-storage.ts'

/** Checks the rights of the caller in `as`, like the routes do. With `system`, checks nothing. */
type As<Input> = Input & { readonly as: ActingAs }

/**
 * Attachments for server code. The code first stores a file, then attaches it in a transaction: one of the kit or, with
 * `kitTx`, one of the application. Every method needs the feature.
 */
export interface AttachmentsContent {
  /**
   * Sends a file to the object store and returns it for {@link attach}. Call it outside any transaction: it uses no
   * connection, and the store can be slow. At least once per `Attachments__Storage__RequestTimeoutSeconds`, the store
   * must accept bytes or answer. A file that is never attached stays in the store, because nothing is deleted there.
   *
   * @throws {AttachmentsError} attachments.file_name_invalid · content_type_invalid · file_too_large · size_mismatch (the
   *   length of the body differs from `sizeBytes`) · storage_unavailable; also the error of a failing body and the
   *   reason of the signal
   * @throws {CoreError} feature.disabled
   * @throws {TypeError} if `sizeBytes` is not an integer, or a chunk of the body is not a `Uint8Array`
   */
  store(file: StoreFile): Promise<StoredFile>
  /**
   * Turns a stored file into a ready attachment and writes the audit event `attachments.upload_completed`. Both commit
   * with the other writes of `tx`. One stored file becomes one attachment; a rejection undoes nothing else. The `actor` is
   * its author, independent of `as`. A caller needs `system.attachments.create` and read access to the target.
   *
   * @throws {AttachmentsError} attachments.count_limit_exceeded · already_attached
   * @throws {TypeError} if the transaction is not READ COMMITTED
   * @throws {CoreError} feature.disabled · permission.denied · business_object.unsupported · business_object.not_found
   * @throws {TypeError} for a file that `store` did not return
   */
  attach(tx: Tx, stored: StoredFile, options: As<Omit<AttachFile, 'stored'>>): Promise<Attachment>
  /**
   * Lists one page of the ready attachments of an object, newest first. A caller needs `system.attachments.read` and read
   * access to the target.
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

/** Binds the commands and the list to the configuration, store and targets of a deployment. */
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
