/** What the actions bar and its dialogs say. */
export const actionsTexts = {
  title: 'Actions',
  more: 'More actions',
  moreShort: 'More',
  unavailable: 'Not possible now:',
  executing: (label: string) => `${label}: under way…`,
  done: (label: string) => `${label}: done.`,
  failed: (label: string) => `${label}: not done.`,
  /** Nobody knows whether it happened; trying again finds out. */
  uncertain: (label: string) => `${label}: no answer came, so it may be done or not.`,
  uncertainHint: 'However often you try, it happens once.',
  outdatedHint: 'The document is shown as it is now. Look at it and decide again.',
  none: 'There is nothing you can do with this document.',
  reason: 'Reason',
  reasonMissing: 'Give a reason.',
  reasonTooLong: (maxChars: number) => `A reason has at most ${maxChars.toLocaleString()} characters.`,
}
