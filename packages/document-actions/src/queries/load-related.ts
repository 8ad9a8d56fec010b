import { sql } from '@vertical-kit/core-audit'
import { type Caller, holds } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import type { TypeRegistry } from '../actions/registry.ts'
import type { RelatedDocument, RelatedDocuments } from '../contract.ts'
import type { DocumentReference, StoredDocument } from '../documents/document-store.ts'
import { isVisible } from '../policy.ts'
import { type DocumentQuery, findVisible } from './load-editor-state.ts'

/** Maximum number of derived documents in an answer. */
const maxRelated = 500

/** The number of links whose documents one statement reads: those of a complete answer, and that to the source. */
const pageCount = maxRelated + 1

/** Maximum number of pages of one answer: documents can be deleted or hidden. */
const maxPages = 10

/**
 * Returns the document from which a document was derived, and up to 500 documents that were derived from it, newest first. Omits
 * documents that the caller may not view. Sends one statement for the document, one for the links, and for each page of the links
 * one for each store with linked documents. Reads further pages only until 500 documents are visible, and at most ten.
 * @throws {DocumentActionsError} documents.not_found
 */
export async function loadRelated(
  db: Db,
  types: TypeRegistry,
  query: DocumentQuery,
): Promise<RelatedDocuments> {
  const document = await findVisible(db, query)
  const viewable = [...types.values()]
    .filter(({ viewPermission }) => holds(query.caller, viewPermission))
    .map(({ definition }) => definition.typeCode)
  const links = await findLinks(db, document, viewable)
  const related: Record<Link['side'], RelatedDocument[]> = { source: [], created: [] }
  for (let start = 0; start < links.length && related.created.length < maxRelated; start += pageCount) {
    const page = links.slice(start, start + pageCount)
    const found = await findLinked(db, types, page)
    for (const link of page) related[link.side].push(...shown(types, query.caller, found.get(keyOf(link))))
  }
  return { derivedFrom: related.source, derived: related.created.slice(0, maxRelated) }
}

interface Link extends DocumentReference {
  /** The side of the link on which the related document is. */
  readonly side: 'source' | 'created'
}

type LinkRow = { side: Link['side']; type_code: string; id: string }

/**
 * Returns up to 5,010 links of a document to viewable types: first that to its source, then the newest ones. A document is derived
 * from at most one other. Uses the indexes `derivations_created_key` and `derivations_by_source`.
 */
export async function findLinks(
  db: Db,
  { id, typeCode }: DocumentReference,
  viewable: readonly string[],
): Promise<readonly Link[]> {
  const rows = await db.execute<LinkRow>(sql`
    select 'source' as side, source_type_code as type_code, source_id as id
    from document_actions.derivations
    where created_id = ${id}::uuid
      and created_type_code = ${typeCode}
      and source_type_code = any(${sql.param(viewable)}::text[])
    union all
    (
      select 'created', created_type_code, created_id
      from document_actions.derivations
      where source_id = ${id}::uuid
        and source_type_code = ${typeCode}
        and created_type_code = any(${sql.param(viewable)}::text[])
      order by created_at desc, execution_id desc
      limit ${maxPages * pageCount}
    )`)
  const considered = rows.slice(0, maxPages * pageCount)
  return considered.map((row) => ({ side: row.side, typeCode: row.type_code, id: row.id }))
}

/** Reads the linked documents, with one statement for each store. Types can share a store. */
async function findLinked(
  db: Db,
  types: TypeRegistry,
  links: readonly Link[],
): Promise<ReadonlyMap<string, StoredDocument>> {
  const byStore = Map.groupBy(links, ({ typeCode }) => types.get(typeCode)?.definition.store)
  const found = await Promise.all(
    [...byStore].map(([store, references]) =>
      store === undefined
        ? []
        : store.findMany(
            db,
            references.map(({ typeCode, id }) => ({ typeCode, id })),
          ),
    ),
  )
  return new Map(found.flat().map((document) => [keyOf(document), document]))
}

const keyOf = ({ typeCode, id }: DocumentReference): string => `${typeCode}/${id}`

/** Returns the document in a list, or an empty list if it was deleted or the caller may not view it. */
function shown(
  types: TypeRegistry,
  caller: Caller,
  document: StoredDocument | undefined,
): readonly RelatedDocument[] {
  const type = types.get(document?.typeCode ?? '')
  if (document === undefined || type === undefined || !isVisible(type, caller, document)) return []
  const { typeCode, id, number, display, status } = document
  return [{ typeCode, id, number, display, status }]
}
