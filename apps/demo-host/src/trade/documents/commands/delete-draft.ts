import { recordAudit, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { checkDraft } from '@vertical-kit/document-actions'
import { documentChanged } from '../audit.ts'
import { type DocumentType, documentReference } from '../document-types.ts'
import { DocumentsError } from '../errors.ts'
import { derivedDeletionOf } from '../outbox.ts'
import { existing } from '../queries/find-document.ts'
import { findSource } from '../queries/find-source.ts'
import { isReferenced } from '../queries/is-referenced.ts'
import { lockDocument } from '../queries/lock-document.ts'

export interface DeleteDraft {
  readonly id: string
  readonly type: DocumentType
  /** The version that the caller has seen. If it is missing, the command deletes any version. */
  readonly expectedVersion?: number | undefined
  readonly actor: Actor
  readonly authorize: Authorize
  readonly outbox: Outbox
}

/**
 * Deletes a draft permanently. The check for references is a separate statement after the lock is acquired. Therefore it
 * detects references that other transactions committed while this transaction waited for the lock.
 * If an action created the draft from another document, the deletion changes the actions of that document. An event informs
 * the event handlers. It needs no lock of that document, because event handlers load the current state.
 *
 * @throws {DocumentActionsError} documents.not_found · documents.version_conflict · documents.not_draft
 * @throws {DocumentsError} documents.in_use; and errors of `authorize`
 */
export async function deleteDraft(tx: Tx, input: DeleteDraft): Promise<void> {
  const { id, type, expectedVersion, actor, authorize, outbox } = input
  const reference = { typeCode: type.code, id }
  const before = await existing(lockDocument(tx, reference, 'update'))
  await authorize(tx, documentReference(type, id))
  checkDraft(before, expectedVersion)
  if (await isReferenced(tx, reference)) throw new DocumentsError('documents.in_use')
  const event = documentChanged({
    actionCode: 'documents.deleted',
    type,
    id,
    number: before.number,
    version: before.version,
    actor,
    before: before.payload.fields,
    after: null,
  })
  const [source] = await Promise.all([
    findSource(tx, reference),
    tx.execute(sql`delete from trade.documents where id = ${id}::uuid`),
    recordAudit(tx, event),
  ])
  if (source) await outbox.append(tx, derivedDeletionOf(source, reference, actor))
}
