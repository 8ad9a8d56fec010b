import type { PermissionDefinition } from '@vertical-kit/core-audit/access'

const define = (action: string, displayName: string, description: string): PermissionDefinition => ({
  permission: `system.notes.${action}`,
  displayName,
  group: 'Attachments & Notes',
  description,
})

/** What roles can be granted on notes. Each goes together with read access to the parent. */
export const notesPermissions: readonly PermissionDefinition[] = [
  define('read', 'Read notes', 'Read the notes of objects the user may read.'),
  define('create', 'Write notes', 'Add notes to objects the user may read.'),
  define('update', 'Edit notes', 'Change the text of notes, whoever wrote them.'),
  define(
    'delete',
    'Delete notes',
    'Delete notes, whoever wrote them. Their text stays in the audit timeline.',
  ),
]
