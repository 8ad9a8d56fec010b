import type { PermissionDefinition } from '@vertical-kit/core-audit/access'

const define = (action: string, displayName: string, description: string): PermissionDefinition => ({
  permission: `system.attachments.${action}`,
  displayName,
  group: 'Attachments & Notes',
  description,
})

/** The permissions on attachments. Each permission also needs read access to the target. */
export const attachmentsPermissions: readonly PermissionDefinition[] = [
  define('read', 'Read attachments', 'List and download the attachments of objects the user may read.'),
  define(
    'create',
    'Upload attachments',
    'Upload files to objects the user may read, and cancel own uploads until they are ready.',
  ),
  define(
    'delete',
    'Delete attachments',
    'Delete attachments of any user. Completed files stay downloadable from the audit timeline.',
  ),
]
