/** Texts of the actions bar and its dialogs. */
export const actionsTexts = {
  title: 'Actions',
  more: 'More actions',
  moreShort: 'More',
  unavailable: 'Unavailable:',
  executing: (label: string) => `${label} in progress…`,
  done: (label: string) => `${label} completed.`,
  failed: (label: string) => `${label} failed.`,
  /** Shown when the outcome is unknown; a retry determines it. */
  uncertain: (label: string) => `${label}: no response. It may or may not have succeeded.`,
  uncertainHint: 'It is safe to try again: the action will not run twice.',
  outdatedHint: 'The document has been refreshed. Review it and try again.',
  none: 'You cannot perform any action on this document.',
  reason: 'Reason',
  reasonMissing: 'Enter a reason.',
  reasonTooLong: (maxChars: number) => `A reason can have at most ${maxChars.toLocaleString()} characters.`,
}
