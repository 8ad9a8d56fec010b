import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** The permissions that allow reading the object's timeline: one of them is enough. */
export const auditPermissions = ({ kind, typeCode }: BusinessObjectReference): readonly string[] => [
  'system.audit.view',
  `${kind === 'CatalogItem' ? 'catalog' : 'document'}.${typeCode}.view_audit`,
]
