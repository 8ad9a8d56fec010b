import { sql } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { ObjectDescription } from '@vertical-kit/work-center'

type Row = { id: string; resource_kind: 'document' | 'catalog'; type_code: string; title: string }

/** Describes documents and catalog items in one statement, for notifications. Uses the primary keys. */
export async function describeObjects(
  db: Db,
  references: readonly BusinessObjectReference[],
): Promise<ReadonlyMap<string, ObjectDescription>> {
  const ids = sql.param(references.map(({ id }) => id))
  const rows = await db.execute<Row>(sql`
    select id, 'document' as resource_kind, type_code, display as title
    from trade.documents
    where id = any(${ids}::uuid[])
    union all
    select id, 'catalog', type_code, name
    from trade.catalog_items
    where id = any(${ids}::uuid[])`)
  return new Map(rows.map((row) => [row.id, toDescription(row)]))
}

function toDescription({ id, resource_kind, type_code, title }: Row): ObjectDescription {
  // The names of the ids are those of the page's navigation targets.
  const parameter = resource_kind === 'document' ? 'documentId' : `${type_code.replace(/^.*\./, '')}Id`
  return {
    source: { resourceKind: resource_kind, resourceCode: type_code, entityId: id, title, subtitle: null },
    target: { code: type_code, parameters: { [parameter]: id } },
  }
}
