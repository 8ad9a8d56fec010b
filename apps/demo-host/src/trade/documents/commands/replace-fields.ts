import { recordAudit } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { checkDraft, type Fields, type StoredDocument } from '@vertical-kit/document-actions'
import { documentChanged } from '../audit.ts'
import { tradeDocumentStore } from '../document-store.ts'
import { type DocumentType, documentReference } from '../document-types.ts'
import { existing } from '../queries/find-document.ts'
import { lockReferences } from '../queries/missing-references.ts'
import { refuseMissing } from '../references.ts'

export interface ReplaceFields {
  readonly id: string
  readonly type: DocumentType
  /** The version that the caller has seen. If it is missing, the command replaces any version. */
  readonly expectedVersion?: number | undefined
  readonly fields: Fields
  readonly actor: Actor
  readonly authorize: Authorize
}

/**
 * Replaces the fields of a draft and increments its version. If several edits expect the same version, only the first
 * succeeds. The others, and actions that expect the old version, fail: their callers have not seen the new fields. If the
 * edits expect no version, the last edit wins. The event of each edit lists only the changes of that edit.
 *
 * The rights are checked after the locks of the draft and of the referenced objects, because both can wait.
 *
 * @throws {DocumentActionsError} documents.not_found · documents.version_conflict · documents.not_draft; and errors of
 *   `authorize`
 * @throws {CoreError} request.invalid if a referenced object no longer exists
 */
export async function replaceFields(tx: Tx, input: ReplaceFields): Promise<StoredDocument> {
  const { id, type, expectedVersion, fields, actor, authorize } = input
  const reference = { typeCode: type.code, id }
  const before = await existing(tradeDocumentStore.lock(tx, reference))
  const missing = await lockReferences(tx, type.referencesOf(fields))
  await authorize(tx, documentReference(type, id))
  checkDraft(before, expectedVersion)
  refuseMissing(missing)
  const version = before.version + 1
  const event = documentChanged({
    actionCode: 'documents.updated',
    type,
    id,
    number: before.number,
    version,
    actor,
    before: before.payload.fields,
    after: fields,
  })
  const [after] = await Promise.all([
    tradeDocumentStore.save(tx, { ...reference, status: before.status, version, fields }),
    recordAudit(tx, event),
  ])
  return after
}
