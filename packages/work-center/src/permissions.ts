import type { PermissionDefinition } from '@vertical-kit/core-audit/access'

/** The permission to act on the tasks of other users. It also needs the permission to view the source of a task. */
export const supervise = 'system.work_center.supervise'

/** The permissions of the Work Center. */
export const workCenterPermissions: readonly PermissionDefinition[] = [
  {
    permission: supervise,
    displayName: 'Supervise tasks',
    group: 'Work Center',
    description: 'Release tasks that other users have claimed.',
  },
]
