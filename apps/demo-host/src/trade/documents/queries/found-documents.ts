import { type SQL, sql } from '@vertical-kit/core-audit'
import { hasWords } from '../../list-query.ts'
import { type DocumentType, type SearchedObject, salesInvoice } from '../document-types.ts'
import { documentNumber } from '../policy.ts'

/** A search text, and the objects that the search may use. */
export interface DocumentSearch {
  readonly q: string
  readonly searchable: readonly SearchedObject[]
}

/** Follows every character of a number in the order of their code points. */
const lastCharacter = '\u{10ffff}'

/**
 * Selects the ids of the documents that a search finds: by their number, by their customer, and payments by their invoice.
 * Uses the indexes `documents_by_number`, `documents_number_key`, `catalog_items_by_their_words` and `documents_by_reference`.
 */
export function foundDocuments(type: DocumentType, search: DocumentSearch): SQL {
  const { foundBy, code } = type
  const byNumber = numbered(type, search.q)
  if (foundBy === undefined || !search.searchable.includes(foundBy)) return byNumber
  const [sources, field] =
    foundBy === 'customer'
      ? [foundCustomers(search.q), sql`'customerId'`]
      : [foundDocuments(salesInvoice, search), sql`'invoiceId'`]
  return sql`
    ${byNumber}
    union all
    select document.id
    from (${sources}) source
    join trade.documents document
      on document.payload @> jsonb_build_object('fields', jsonb_build_object(${field}, source.id))
    where document.type_code = ${code}`
}

/** Selects the ids of documents by the beginning of their number, or by its digits: `12` finds `SI-000012`. */
function numbered({ code, numberPrefix }: DocumentType, q: string): SQL {
  const start = q.toUpperCase()
  const digits = /^\d{1,9}$/.test(q) ? Number(q) : null
  return sql`
    select id
    from trade.documents
    where type_code = ${code} and number ~>=~ ${start} and number ~<~ ${start + lastCharacter}
    ${
      digits === null
        ? sql``
        : sql`
    union all
    select id
    from trade.documents
    where type_code = ${code} and number = ${documentNumber(numberPrefix, digits)}`
    }`
}

const foundCustomers = (q: string): SQL => sql`
  select id
  from trade.catalog_items
  where type_code = 'trade.customer' and ${hasWords(sql`trade.catalog_item_words(name, fields)`, q)}`
