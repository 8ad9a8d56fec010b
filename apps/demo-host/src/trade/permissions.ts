import type { PermissionDefinition } from '@vertical-kit/core-audit/access'
import { catalogTypes } from './catalogs/catalog-types.ts'
import { documentTypes } from './documents/document-types.ts'

/** The first segment of a permission code. Journal entries also use `document`. */
export type ResourceKind = 'catalog' | 'document'

/** The actions on a type. Each type has one permission for each of these actions. */
export const tradeActions = ['view', 'create', 'edit', 'delete', 'view_audit'] as const
export type TradeAction = (typeof tradeActions)[number]

/** Returns a permission code, for example `catalog.trade.customer.view` or `document.general_journal_entry.edit`. */
export function permissionOf(kind: ResourceKind, typeCode: string, action: TradeAction): string {
  return `${kind}.${typeCode}.${action}`
}

const words: Record<TradeAction, { readonly verb: string; readonly description: string }> = {
  view: {
    verb: 'View',
    description: 'List and open them. Without this permission they are hidden from the user.',
  },
  create: { verb: 'Create', description: 'Create new ones.' },
  edit: { verb: 'Edit', description: 'Edit them. Documents can be edited as drafts only.' },
  delete: {
    verb: 'Delete',
    description: 'Delete them permanently. Documents can be deleted as drafts only.',
  },
  view_audit: {
    verb: 'View audit of',
    description: 'Read the audit timeline of those that the user may view.',
  },
}

function permissionsOf(kind: ResourceKind, type: { code: string; plural: string }): PermissionDefinition[] {
  return tradeActions.map((action) => ({
    permission: permissionOf(kind, type.code, action),
    displayName: `${words[action].verb} ${type.plural}`,
    group: 'Trade',
    description: words[action].description,
  }))
}

/** The permissions for the vertical's catalogs and documents. Roles can grant them. */
export const tradePermissions: readonly PermissionDefinition[] = [
  ...catalogTypes.flatMap((type) => permissionsOf('catalog', type)),
  ...documentTypes.flatMap((type) => permissionsOf('document', type)),
]
