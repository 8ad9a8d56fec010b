import type { Database, Db, Tx } from '@vertical-kit/core-audit/database'
import {
  type ActingAs,
  type CallerNow,
  type ContentAccess,
  readIfAllowed,
} from '@vertical-kit/core-audit/objects'
import { type AttachFile, attachFile } from './commands/attach-file.ts'
import { type StoredFile, type StoreFile, storeFile } from './commands/store-file.ts'
import type { AttachmentsConfig } from './config.ts'
import type { Attachment, AttachmentPage } from './contract.ts'
import { type ListAttachments, listAttachments } from './queries/list-attachments.ts'
import type { ObjectStorage } from './storage/object-storage.ts'

/**
 * Attachments for server code. The code first stores a file and then attaches it in a transaction. With `kitTx`, this
 * can be a transaction of the application. Every method requires that the feature is on.
 */
export interface AttachmentsContent {
  /**
   * Sends a file to the object store and returns the stored file for {@link attach}. Call `store` outside any
   * transaction, because the store can be slow and no database connection is needed. The call fails if the store neither
   * accepts bytes nor answers for `Attachments__Storage__RequestTimeoutSeconds`. The store keeps a file even if it is
   * never attached, because the kit deletes nothing there.
   *
   * @throws {AttachmentsError} attachments.file_name_invalid · content_type_invalid · file_too_large · size_mismatch (the
   *   length of the body differs from `sizeBytes`) · storage_unavailable. If the body throws or the signal aborts,
   *   rejects with the error of the body or the reason of the signal.
   * @throws {CoreError} feature.disabled
   * @throws {TypeError} if `sizeBytes` is not an integer, or a chunk of the body is not a `Uint8Array`
   */
  store(file: StoreFile): Promise<StoredFile>
  /**
   * Turns a stored file into a ready attachment and writes the audit event `attachments.upload_completed`. The attachment
   * and the event commit with the other writes of `tx`. A stored file can be attached only once. After a rejection, `tx`
   * remains usable and keeps its other writes. The author is `actor`, whatever `as` is. A caller in `as` needs
   * `system.attachments.create` and read access to the target. Both are checked again under the lock of the object; a
   * `CallerNow` in `as` loads the rights again for each check.
   *
   * @throws {AttachmentsError} attachments.count_limit_exceeded · already_attached
   * @throws {TypeError} if the transaction is not READ COMMITTED, or if `store` did not return `stored`
   * @throws {CoreError} feature.disabled · permission.denied · business_object.unsupported · business_object.not_found ·
   *   auth.inactive, with a `CallerNow`
   */
  attach(
    tx: Tx,
    stored: StoredFile,
    options: Omit<AttachFile, 'stored' | 'authorize'> & { readonly as: ActingAs | CallerNow },
  ): Promise<Attachment>
  /**
   * Returns one page of the ready attachments of a business object, newest first. A caller in `as` needs
   * `system.attachments.read` and read access to the target.
   * @throws {CoreError} feature.disabled · permission.denied · business_object.unsupported · business_object.not_found
   */
  list(db: Db, query: ListAttachments & { readonly as: ActingAs }): Promise<AttachmentPage>
}

export interface AttachmentsContentOptions {
  /** Returns the object store. Throws feature.disabled while the feature is off. */
  readonly requireStorage: () => ObjectStorage
  readonly newId: Database['newId']
  readonly config: AttachmentsConfig
  readonly access: ContentAccess
}

/** Creates the methods for server code with the configuration, the store and the access checks of the deployment. */
export function attachmentsContent(options: AttachmentsContentOptions): AttachmentsContent {
  const { requireStorage, newId, config, access } = options
  return {
    async store(file) {
      return storeFile(requireStorage(), config, { ...file, id: newId() })
    },
    async attach(tx, stored, { as, target, actor }) {
      requireStorage()
      const authorize = async (one: Tx) => {
        const acting = typeof as === 'function' ? await as(one) : as
        await access.requireTarget(one, acting, { permission: 'system.attachments.create', target })
      }
      await authorize(tx)
      return attachFile(tx, config, { stored, target, actor, authorize })
    },
    async list(db, { as, ...query }) {
      requireStorage()
      const needed = { permission: 'system.attachments.read', target: query.target }
      return readIfAllowed(access.requireTarget(db, as, needed), listAttachments(db, query))
    },
  }
}
