import type { PermissionDefinition } from '@vertical-kit/core-audit/access'
import type { RegisteredType, TypeRegistry } from './actions/registry.ts'

/**
 * What roles can be granted on the types' actions: one permission each, except that derivations go by the target's
 * `create`, which is the vertical's own, like `view`.
 */
export function documentActionsPermissions(types: TypeRegistry): readonly PermissionDefinition[] {
  const definitions = [...types.values()].flatMap(permissionsOf)
  // Marking and unmarking share one; the first action with a permission names it.
  return [...new Map(definitions.toReversed().map((one) => [one.permission, one])).values()].toReversed()
}

function permissionsOf({ definition: { plural }, actions }: RegisteredType): readonly PermissionDefinition[] {
  return [...actions.values()]
    .filter(({ definition }) => definition.executionKind !== 'Derivation')
    .map(({ definition: { label, description }, permission }) => ({
      permission,
      displayName: `${label}: ${plural}`,
      group: 'Document actions',
      description,
    }))
}
