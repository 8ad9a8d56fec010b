import { type Actor, type Authorize, recordAudit, type Tx } from '@vertical-kit/core-audit'
import { sql } from 'drizzle-orm/sql'
import type { Fields } from '../../field-changes.ts'
import { documentChanged } from '../audit.ts'
import type { TradeDocument } from '../contract.ts'
import { type DocumentRow, documentColumns, toDocument } from '../document-row.ts'
import { type DocumentType, documentReference } from '../document-types.ts'
import { checkDraft } from '../policy.ts'
import { lockDocument } from '../queries/lock-document.ts'
import { lockReferences } from '../queries/missing-references.ts'
import { refuseMissing } from '../references.ts'

export interface ReplaceFields {
  readonly id: string
  readonly type: DocumentType
  readonly fields: Fields
  readonly actor: Actor
  readonly authorize: Authorize
}

/**
 * Replaces a draft's fields; its version grows by one. Of several at once the last one wins, and each event tells what
 * it changed.
 *
 * @throws {DocumentsError} documents.not_found · documents.not_draft; and whatever `authorize` throws
 * @throws {CoreError} request.invalid when something it refers to is gone
 */
export async function replaceFields(tx: Tx, input: ReplaceFields): Promise<TradeDocument> {
  const { id, type, fields, actor, authorize } = input
  const before = await lockDocument(tx, { typeCode: type.code, id, strength: 'no key update' })
  await authorize(tx, documentReference(type, id))
  checkDraft(before.status)
  refuseMissing(await lockReferences(tx, type.referencesOf(fields)))
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
  const [[row]] = await Promise.all([
    tx.execute<DocumentRow>(sql`
      update trade.documents
      set payload = ${JSON.stringify({ fields })}::jsonb, version = ${version}, updated_at = clock_timestamp()
      where id = ${id}::uuid
      returning ${documentColumns}`),
    recordAudit(tx, event),
  ])
  if (row === undefined) throw new Error('The update of a locked document returned no row')
  return toDocument(row)
}
