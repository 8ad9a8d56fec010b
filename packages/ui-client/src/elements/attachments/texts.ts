/** Returns a number of files in words. */
export const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`)

/** Texts of the attachments panel. */
export const attachmentsTexts = {
  title: 'Attachments',
  choose: 'Choose files',
  chooseHint: 'or drop or paste them here.',
  dropHere: 'Drop the files here.',
  folder: 'Folders cannot be attached. Open the folder and add its files.',
  uploads: 'Uploads',
  empty: 'No files yet.',
  allFiles: (count: number, size: string) => `${files(count)}, ${size}`,
  /** The heading of a part of the files: of those that match the search, and of those that are loaded. */
  someFiles: (count: number, size: string) => `${files(count)} shown, ${size}.`,
  moreFiles: 'There are more files.',
  search: 'Search files',
  noMatch: 'No file matches your search.',
  sort: 'Order',
  sorts: {
    newest: 'Newest first',
    oldest: 'Oldest first',
    name: 'Name',
    size: 'Largest first',
    type: 'Type',
  },
  selection: 'Selected files',
  selectAll: 'Select all',
  selectOf: (name: string) => `Select ${name}`,
  selected: (count: number) => `${files(count)} selected`,
  arrived: (name: string) => `${name} was uploaded.`,
  download: 'Download',
  downloadAll: 'Download all',
  /** The name of the archive with several files. */
  archiveName: 'Attachments.zip',
  /** The name of the text file that names the files that are missing in the archive, and its first line. */
  missingName: 'MISSING FILES.txt',
  missing: 'These files could not be downloaded:',
  downloadOf: (name: string) => `Download ${name}`,
  deleteOf: (name: string) => `Delete ${name}`,
  deleted: (name: string) => `${name} was deleted.`,
  notDeleted: (name: string) => `${name} was not deleted.`,
  deletedSeveral: (count: number) => `${files(count)} were deleted.`,
  deleteSelected: 'Delete',
  confirmDeleteSeveral: (count: number) => `Delete ${files(count)}?`,
  confirmDeleteSeveralMessage: (names: string) =>
    `${names} will be removed for everyone. They can still be downloaded from the history.`,
  sameName: (count: number) =>
    count === 1 ? 'A file with this name exists' : `${count} files with these names exist`,
  sameNameMessage: (names: string) =>
    `${names}. If you keep both, the new file gets a number. If you cancel, it is not uploaded.`,
  keepBoth: 'Keep both',
}

/** The English texts of this group. */
export const attachmentsEnglish = { attachments: attachmentsTexts }
