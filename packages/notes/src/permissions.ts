import type { PermissionDefinition } from '@vertical-kit/core-audit/access'

const define = (action: string, displayName: string, description: string): PermissionDefinition => ({
  permission: `system.notes.${action}`,
  displayName,
  group: 'Attachments & Notes',
  description,
})

/** The permissions on notes. Each permission also needs read access to the target. */
export const notesPermissions: readonly PermissionDefinition[] = [
  define('read', 'Read notes', 'Read the notes of objects the user may read.'),
  define('create', 'Write notes', 'Add notes to objects the user may read.'),
  define('update', 'Edit notes', 'Change the text of any note, including notes by other users.'),
  define(
    'delete',
    'Delete notes',
    'Delete any note, including notes by other users. The text stays in the audit timeline.',
  ),
]
