import type { PermissionDefinition } from '@vertical-kit/core-audit/access'

/** The permission to act on the tasks of other users. It also needs the permission to view the source of a task. */
export const supervise = 'system.work_center.supervise'

/** The permissions of the Work Center. */
export const workCenterPermissions: readonly PermissionDefinition[] = [
  {
    permission: supervise,
    displayName: 'Supervise tasks',
    group: 'Work Center',
    description:
      'See, forward and release the tasks of all users, and name their substitutes. Shows only tasks whose source the user may view.',
  },
]
