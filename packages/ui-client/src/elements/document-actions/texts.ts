/** Texts of the actions bar and its dialogs. */
export const actionsTexts = {
  title: 'Actions',
  more: 'More actions',
  moreShort: 'More',
  unavailable: 'Unavailable:',
  executing: (label: string) => `“${label}” is in progress…`,
  done: (label: string) => `“${label}” is complete.`,
  failed: (label: string) => `“${label}” failed.`,
  /** Shown when the outcome is unknown; a retry determines it. */
  uncertain: (label: string) => `No response for “${label}”. It may or may not have succeeded.`,
  uncertainHint: 'It is safe to try again. The action will not run twice.',
  outdatedHint: 'The document has been refreshed. Review it and try again.',
  none: 'No actions are available for this document.',
  reason: 'Reason',
  reasonMissing: 'Enter a reason.',
  reasonTooLong: (maxChars: number) => `Enter no more than ${maxChars.toLocaleString()} characters.`,
}
