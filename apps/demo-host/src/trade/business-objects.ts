import { holds } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import type { BusinessObjectTypes } from '@vertical-kit/core-audit/objects'
import { catalogTypes } from './catalogs/catalog-types.ts'
import { catalogItemExists } from './catalogs/queries/find-catalog-item.ts'
import { documentTypes } from './documents/document-types.ts'
import { documentExists } from './documents/queries/find-document.ts'
import { permissionOf, type ResourceKind } from './permissions.ts'

type Exists = (db: Db, typeCode: string, id: string) => Promise<boolean>

/** Returns the access checks for objects of one kind. Without the view permission, every object appears to be missing. */
function resolver(kind: ResourceKind, exists: Exists): Pick<BusinessObjectTypes, 'isReadable' | 'exists'> {
  return {
    isReadable: async (db, caller, { typeCode, id }) =>
      holds(caller, permissionOf(kind, typeCode, 'view')) && (await exists(db, typeCode, id)),
    exists: (db, { typeCode, id }) => exists(db, typeCode, id),
  }
}

const codesOf = (kind: BusinessObjectTypes['kind']): readonly string[] =>
  documentTypes.filter((type) => type.kind === kind).map(({ code }) => code)

/** The business objects of the vertical that accept notes and attachments. */
export const tradeBusinessObjects: readonly BusinessObjectTypes[] = [
  {
    kind: 'CatalogItem',
    typeCodes: catalogTypes.map(({ code }) => code),
    ...resolver('catalog', catalogItemExists),
  },
  { kind: 'Document', typeCodes: codesOf('Document'), ...resolver('document', documentExists) },
  {
    kind: 'GeneralJournalEntry',
    typeCodes: codesOf('GeneralJournalEntry'),
    ...resolver('document', documentExists),
  },
]
