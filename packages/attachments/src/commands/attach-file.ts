import { brokenConstraint } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { AttachmentsError } from '../errors.ts'
import { insertAttachment } from './insert-attachment.ts'
import { requireStored, type StoredFile } from './store-file.ts'

export interface AttachFile {
  readonly stored: StoredFile
  readonly target: BusinessObjectReference
  readonly actor: Actor
  /** Runs under the lock of the object: the target may have become unreadable while the transaction waited for it. */
  readonly authorize: (tx: Tx) => Promise<unknown>
}

/**
 * Turns a stored file into a ready attachment of a business object and writes the audit event. The attachment counts
 * against the limit of the object. The insertion acquires the advisory lock of the object, which an upload reservation
 * acquires too. After a rejection, a savepoint is rolled back, so the application can continue its transaction.
 *
 * @throws {AttachmentsError} attachments.count_limit_exceeded · already_attached; also the errors of `authorize`
 * @throws {TypeError} if the transaction is not READ COMMITTED, or if {@link storeFile} did not return `stored`
 */
export async function attachFile(
  tx: Tx,
  config: AttachmentsConfig,
  { stored, target, actor, authorize }: AttachFile,
): Promise<Attachment> {
  const file = requireStored(stored)
  try {
    return await tx.savepoint(async (part) => {
      const attachment = await insertAttachment(part, config, { ...file, target, actor, status: 'ready' })
      await authorize(part)
      return attachment
    })
  } catch (error) {
    if (brokenConstraint(error) !== 'attachments_pkey') throw error
    throw new AttachmentsError('attachments.already_attached', { cause: error })
  }
}
