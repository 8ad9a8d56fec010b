import type { PermissionDefinition } from '../access/permission.ts'

/** The permission to see and repair the outbox. */
export const manageOutbox = 'system.outbox.manage'

export const outboxPermissions: readonly PermissionDefinition[] = [
  {
    permission: manageOutbox,
    displayName: 'Manage the outbox',
    group: 'Operations',
    description: 'See pending and failed events, and retry or discard failed ones.',
  },
]
