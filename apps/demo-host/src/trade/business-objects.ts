import { type Caller, holds } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { BusinessObjectTypes, NamedObject, ReferencePaths } from '@vertical-kit/core-audit/objects'
import { catalogTypes } from './catalogs/catalog-types.ts'
import { catalogItemExists, findCatalogItemNames } from './catalogs/queries/find-catalog-item.ts'
import { documentTypes } from './documents/document-types.ts'
import { documentExists, findDocumentNames } from './documents/queries/find-document.ts'
import { permissionOf, type ResourceKind } from './permissions.ts'

type Target = NamedObject['target']

/** The queries about the objects of one kind. */
interface Queries {
  exists(db: Db, typeCode: string, id: string): Promise<boolean>
  names(
    db: Db,
    references: readonly BusinessObjectReference[],
  ): Promise<readonly { readonly id: string; readonly type_code: string; readonly display: string }[]>
  targetOf(typeCode: string, id: string): Target
}

/** Returns the access checks for objects of one kind. Without the view permission, every object appears to be missing. */
function resolver(kind: ResourceKind, { exists, names, targetOf }: Queries) {
  const mayRead = (caller: Caller, typeCode: string) => holds(caller, permissionOf(kind, typeCode, 'view'))
  return {
    mayRead,
    isReadable: async (db, caller, { typeCode, id }) =>
      mayRead(caller, typeCode) && (await exists(db, typeCode, id)),
    async areReadable(db, attempts) {
      const viewable = attempts.filter(({ caller, reference }) => mayRead(caller, reference.typeCode))
      const found =
        viewable.length === 0
          ? []
          : await names(
              db,
              viewable.map(({ reference }) => reference),
            )
      const existing = new Set(found.map(({ id, type_code: typeCode }) => `${typeCode}/${id}`))
      return attempts.map(
        ({ caller, reference: { typeCode, id } }) =>
          mayRead(caller, typeCode) && existing.has(`${typeCode}/${id}`),
      )
    },
    exists: (db, { typeCode, id }) => exists(db, typeCode, id),
    findAll: async (db, caller, references) =>
      (await names(db, references)).map(({ id, type_code: typeCode, display }) => ({
        ...{ id, typeCode, display },
        isReadable: mayRead(caller, typeCode),
        target: targetOf(typeCode, id),
      })),
  } satisfies Partial<BusinessObjectTypes>
}

/** The code of a navigation target is the type code. Catalogs have their own names for the parameter. */
const catalogParameters: Readonly<Record<string, string>> = {
  'trade.customer': 'customerId',
  'trade.item': 'itemId',
}

const catalogItems = resolver('catalog', {
  exists: catalogItemExists,
  names: findCatalogItemNames,
  targetOf: (code, id) => ({ code, parameters: { [catalogParameters[code] ?? 'id']: id } }),
})

const documents = resolver('document', {
  exists: documentExists,
  names: findDocumentNames,
  targetOf: (code, id) => ({ code, parameters: { documentId: id } }),
})

const salesPaths: ReferencePaths = {
  'fields.customerId': 'trade.customer',
  'fields.lines.itemId': 'trade.item',
}

const codesOf = (kind: BusinessObjectTypes['kind']): readonly string[] =>
  documentTypes.filter((type) => type.kind === kind).map(({ code }) => code)

/** The business objects of the vertical that accept notes and attachments. */
export const tradeBusinessObjects: readonly BusinessObjectTypes[] = [
  { kind: 'CatalogItem', typeCodes: catalogTypes.map(({ code }) => code), ...catalogItems },
  {
    kind: 'Document',
    typeCodes: codesOf('Document'),
    ...documents,
    references: {
      'trade.sales_order': salesPaths,
      'trade.sales_invoice': { ...salesPaths, 'metadata.paymentId': 'trade.customer_payment' },
      'trade.customer_payment': { 'fields.invoiceId': 'trade.sales_invoice' },
    },
  },
  { kind: 'GeneralJournalEntry', typeCodes: codesOf('GeneralJournalEntry'), ...documents },
]
