/** Texts of the audit timeline. */
export const auditTexts = {
  title: 'History',
  empty: 'No history yet.',
  /** The name of the actor if the service itself has made a change. */
  service: 'System',
  /** A mentioned user whose name the reader may not know, after an `@`. */
  someone: 'someone',
  nothing: '—',
  yes: 'Yes',
  no: 'No',
  was: 'before',
  is: 'after',
  showAll: 'Show all',
  showLess: 'Show less',
  download: 'Download',
  downloadOf: (fileName: string) => `Download ${fileName}`,
  reason: 'Reason',
  file: 'File',
  source: 'Created from',
  createdDocument: 'Created document',
  note: 'Note',
  task: 'Task',
  taskStatuses: { Open: 'Open', InProgress: 'In progress', Completed: 'Completed', Cancelled: 'Cancelled' },
  filters: 'Filters',
  show: 'Show',
  /** The choices of entries. The first one is the default. */
  types: {
    '': 'Changes',
    all: 'Everything',
    notes: 'Notes',
    files: 'Files',
    tasks: 'Tasks',
  } as Readonly<Record<string, string>>,
  person: 'Person',
  anybody: 'Anybody',
  action: 'Action code',
  objectType: 'Type code',
  from: 'From',
  to: 'To',
  export: 'Export',
  noMatch: 'Nothing matches these filters.',
  /** The names of actions, by code. For other codes, the code itself is converted to words. */
  actions: {
    'attachments.upload_requested': 'Upload started',
    'attachments.upload_completed': 'File attached',
    'attachments.mark_for_deletion': 'File deleted',
    'attachments.upload_expired': 'Upload expired',
    'notes.created': 'Note added',
    'notes.updated': 'Note edited',
    'notes.mark_for_deletion': 'Note deleted',
    'documents.created': 'Created',
    'documents.updated': 'Changed',
    'documents.deleted': 'Deleted',
    'catalogs.created': 'Created',
    'catalogs.updated': 'Changed',
    'catalogs.deleted': 'Deleted',
    post: 'Posted',
    unpost: 'Unposted',
    repost: 'Posted again',
    mark_for_deletion: 'Marked for deletion',
    unmark_for_deletion: 'Restored',
  } as Readonly<Record<string, string>>,
  /** The names of fields, by path. For other paths, the path itself is converted to words. */
  fields: { isDeleted: 'Deleted' } as Readonly<Record<string, string>>,
}

/** The English texts of this group. */
export const auditEnglish = { audit: auditTexts }
