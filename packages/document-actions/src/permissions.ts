import type { PermissionDefinition } from '@vertical-kit/core-audit/access'
import type { RegisteredType, TypeRegistry } from './actions/registry.ts'

/**
 * Returns the permissions for the actions of all types. Derivations have no permission of their own: they need the
 * `create` permission of the created type. The vertical registers all `create` and `view` permissions, so a navigation with
 * the `view` permission adds none.
 */
export function documentActionsPermissions(types: TypeRegistry): readonly PermissionDefinition[] {
  const definitions = [...types.values()].flatMap(permissionsOf)
  // Marking and unmarking share a permission. The shared permission has the label of the first action.
  return [...new Map(definitions.toReversed().map((one) => [one.permission, one])).values()].toReversed()
}

function permissionsOf({ definition: type, actions, viewPermission }: RegisteredType) {
  const own = [...actions.values()].filter(
    ({ definition, permission }) =>
      definition.executionKind !== 'Derivation' && permission !== viewPermission,
  )
  return own.map(
    ({ definition: { label, description }, permission }): PermissionDefinition => ({
      permission,
      displayName: `${label}: ${type.plural}`,
      group: 'Document actions',
      description,
    }),
  )
}
