/** Texts of the actions bar and its dialogs. */
export const actionsTexts = {
  title: 'Actions',
  more: 'More actions',
  moreShort: 'More',
  unavailable: 'Unavailable:',
  executing: (label: string) => `“${label}” is in progress…`,
  done: (label: string) => `“${label}” is complete.`,
  /** The button of an action in progress, by code. Codes without a text use `progressOf`. */
  progress: {
    post: 'Posting…',
    unpost: 'Unposting…',
    repost: 'Posting again…',
    mark_for_deletion: 'Marking…',
    unmark_for_deletion: 'Restoring…',
  } as Readonly<Record<string, string>>,
  progressOf: (label: string) => `${label}…`,
  /** The message about an executed action, by code. Codes without a text use `done`. */
  completed: {
    post: 'Posted.',
    unpost: 'Unposted.',
    repost: 'Posted again.',
    mark_for_deletion: 'Marked for deletion.',
    unmark_for_deletion: 'Restored.',
  } as Readonly<Record<string, string>>,
  created: (name: string) => `Created: ${name}.`,
  /** Follows the message, with the label of an action. */
  next: (label: string) => `Next: ${label}.`,
  failed: (label: string) => `“${label}” failed.`,
  /** Shown when the outcome is unknown; a retry determines it. */
  uncertain: (label: string) => `No response for “${label}”. It may or may not have succeeded.`,
  uncertainHint: 'It is safe to try again. The action will not run twice.',
  outdatedHint: 'The document has been refreshed. Review it and try again.',
  /** Titles and lines of a preview in a confirmation. */
  wouldHappen: 'Consequences',
  wouldFail: 'This is not possible now',
  statuses: { Draft: 'Draft', Posted: 'Posted', MarkedForDeletion: 'Marked for deletion' },
  statusChange: (from: string, to: string) => `Status: ${from} → ${to}`,
  creates: (name: string) => `Creates: ${name}`,
  entriesAfter: (count: number) => `Accounting entries afterwards: ${count}`,
  movementsAfter: (count: number) => `Register movements afterwards: ${count}`,
  roles: (names: readonly string[]) => `Roles that can do this: ${names.join(', ')}`,
  /** Shown if the action of a task does not exist for the user. */
  notAllowed: 'You do not have permission for this action.',
  batch: {
    title: 'Selected documents',
    selected: (count: number) => `${count} selected`,
    button: (label: string, count: number) => `${label} (${count})`,
    executing: (label: string, done: number, count: number) =>
      `“${label}” is in progress: ${done} of ${count} processed.`,
    done: (label: string, done: number, count: number) => `“${label}”: ${done} of ${count} complete.`,
    failures: (count: number) => (count === 1 ? '1 document failed' : `${count} documents failed`),
    resume: 'Continue',
    clear: 'Clear selection',
  },
  none: 'No actions are available for this document.',
  /** Shown if all actions are unavailable. The main reason follows. */
  noneNow: 'No action is available now.',
  reason: 'Reason',
  reasonMissing: 'Enter a reason.',
  reasonTooLong: (maxChars: number) => `Enter no more than ${maxChars.toLocaleString()} characters.`,
}

/** The English texts of this group. */
export const actionsEnglish = { actions: actionsTexts }
