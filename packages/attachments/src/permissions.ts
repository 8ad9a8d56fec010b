import type { PermissionDefinition } from '@vertical-kit/core-audit/access'

const define = (action: string, displayName: string, description: string): PermissionDefinition => ({
  permission: `system.attachments.${action}`,
  displayName,
  group: 'Attachments & Notes',
  description,
})

/** What roles can be granted on attachments. Each goes together with read access to the parent. */
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
    'Delete attachments, whoever uploaded them. Completed files stay downloadable from the audit timeline.',
  ),
]
