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
}

/**
 * Makes a stored file a ready attachment of an object, with its audit event. It counts against the quota like a
 * reservation, under the same lock. A savepoint undoes a refused attachment with its audit event: the application may go
 * on with its transaction.
 *
 * @throws {AttachmentsError} attachments.count_limit_exceeded · already_attached
 * @throws {TypeError} if the transaction is not READ COMMITTED, or for a file that {@link storeFile} did not return
 */
export async function attachFile(
  tx: Tx,
  config: AttachmentsConfig,
  { stored, target, actor }: AttachFile,
): Promise<Attachment> {
  const file = requireStored(stored)
  try {
    return await tx.savepoint((part) =>
      insertAttachment(part, config, { ...file, target, actor, status: 'ready' }),
    )
  } catch (error) {
    if (brokenConstraint(error) !== 'attachments_pkey') throw error
    throw new AttachmentsError('attachments.already_attached', { cause: error })
  }
}
