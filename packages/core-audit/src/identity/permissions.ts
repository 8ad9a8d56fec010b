import type { PermissionDefinition } from '../access/permission.ts'

const define = (action: string, displayName: string, description: string): PermissionDefinition => ({
  permission: `system.${action}`,
  displayName,
  group: 'Users & Roles',
  description,
})

/** The permissions for the administration of users and roles. */
export const identityPermissions: readonly PermissionDefinition[] = [
  define('permissions.view', 'View permissions', 'List every permission a role can be granted.'),
  define('roles.view', 'View roles', 'List roles and what they grant.'),
  define(
    'roles.manage',
    'Manage roles',
    'Create, rename, deactivate and reactivate roles, and change what they grant.',
  ),
  define('users.view', 'View users', 'List users and their roles.'),
  define(
    'users.manage',
    'Manage users',
    'Invite users, assign roles to them, deactivate and reactivate them.',
  ),
]
