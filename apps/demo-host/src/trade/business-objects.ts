import { holds } from '@vertical-kit/core-audit/access'
import type { Db } from '@vertical-kit/core-audit/database'
import type { BusinessObjectTypes, ResolveParent } from '@vertical-kit/core-audit/objects'
import { catalogTypes } from './catalogs/catalog-types.ts'
import { catalogItemExists } from './catalogs/queries/find-catalog-item.ts'
import { documentTypes } from './documents/document-types.ts'
import { documentExists } from './documents/queries/find-document.ts'
import { permissionOf, type ResourceKind } from './permissions.ts'

type Exists = (db: Db, typeCode: string, id: string) => Promise<boolean>

/** Readable is what exists and whose type the caller may view; who may not view is not told whether it exists. */
function resolver(kind: ResourceKind, exists: Exists): ResolveParent {
  return async (db, caller, { typeCode, id }) =>
    holds(caller, permissionOf(kind, typeCode, 'view')) && (await exists(db, typeCode, id))
}

const codesOf = (kind: BusinessObjectTypes['kind']): readonly string[] =>
  documentTypes.filter((type) => type.kind === kind).map(({ code }) => code)

/** What content can be attached to in this vertical. */
export const tradeBusinessObjects: readonly BusinessObjectTypes[] = [
  {
    kind: 'CatalogItem',
    typeCodes: catalogTypes.map(({ code }) => code),
    resolve: resolver('catalog', catalogItemExists),
  },
  { kind: 'Document', typeCodes: codesOf('Document'), resolve: resolver('document', documentExists) },
  {
    kind: 'GeneralJournalEntry',
    typeCodes: codesOf('GeneralJournalEntry'),
    resolve: resolver('document', documentExists),
  },
]
