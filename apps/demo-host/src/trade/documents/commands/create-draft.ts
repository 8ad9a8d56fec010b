import { recordAudit, sql } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import {
  type ActionExecution,
  type DocumentRow,
  documentColumns,
  type Fields,
  type StoredDocument,
  toStoredDocument,
} from '@vertical-kit/document-actions'
import { creationOf, RepeatedCreation } from '../../creation.ts'
import { documentChanged } from '../audit.ts'
import { type DocumentType, documentReference } from '../document-types.ts'
import { documentNumber } from '../policy.ts'
import { lockReferences } from '../queries/missing-references.ts'
import { refuseMissing } from '../references.ts'

export interface CreateDraft<F extends Fields> {
  /** A UUIDv7. Lists sort by id, and these ids sort by creation time. */
  readonly id: string
  readonly type: DocumentType<F>
  readonly fields: NoInfer<F>
  readonly actor: Actor
  /** Absent for a derivation: its execution checks the rights under the lock of the source document. */
  readonly authorize?: Authorize
  /** The key of the client, for a creation that it can repeat. */
  readonly creationKey?: string | undefined
  /** The execution that creates this document, if an action creates it from another document. */
  readonly derivation?: Pick<ActionExecution, 'document' | 'drawNumber'>
}

/**
 * Creates a draft with the next number of its type's series, and the audit event of the draft. `authorize` runs last, because
 * the locks of the referenced objects and the insert with a creation key can wait for other transactions.
 *
 * @throws {CoreError} request.invalid if a referenced object no longer exists; and errors of `authorize`
 * @throws {RepeatedCreation} if a request of the actor with the creation key has created a document
 */
export async function createDraft<F extends Fields>(
  tx: Tx,
  input: CreateDraft<F>,
): Promise<StoredDocument<F>> {
  const { id, type, fields, actor, authorize, creationKey, derivation } = input
  const creation = creationOf({ actor, typeCode: type.code, creationKey, content: fields })
  const draw = () => nextNumber(tx, type)
  const [missing, number] = await Promise.all([
    lockReferences(tx, type.referencesOf(fields)),
    // In a dry run, the execution does not draw the number.
    derivation === undefined ? draw() : derivation.drawNumber(draw),
  ])
  refuseMissing(missing)
  const event = documentChanged({
    actionCode: 'documents.created',
    type,
    id,
    number,
    version: 1,
    actor,
    before: null,
    after: fields,
    ...(derivation && { source: derivation.document }),
  })
  const display = `${type.title} ${number}`
  const [[row]] = await Promise.all([
    tx.execute<DocumentRow>(sql`
      insert into trade.documents (id, type_code, number, display, payload, creation_key, creation_fingerprint)
      values (
        ${id}::uuid, ${type.code}, ${number}, ${display}, ${JSON.stringify({ fields })}::jsonb,
        ${creation?.key ?? null}::uuid, ${creation?.fingerprint ?? null}
      )
      on conflict (creation_key) where creation_key is not null do nothing
      returning ${documentColumns}`),
    recordAudit(tx, event),
    authorize?.(tx, documentReference(type, id)),
  ])
  if (row !== undefined) return toStoredDocument(row)
  if (creation === null) throw new Error('The insert of a document returned no row')
  throw new RepeatedCreation(creation)
}

async function nextNumber(tx: Tx, type: DocumentType): Promise<string> {
  const [row] = await tx.execute<{ position: string }>(
    sql`select nextval(${type.numberSequence}::regclass) as position`,
  )
  if (row === undefined) throw new Error('A sequence returned no row')
  return documentNumber(type.numberPrefix, Number(row.position))
}
