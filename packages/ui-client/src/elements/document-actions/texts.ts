/** Texts of the actions bar and its dialogs. */
export const actionsTexts = {
  title: 'Actions',
  more: 'More actions',
  moreShort: 'More',
  unavailable: 'Unavailable:',
  executing: (label: string) => `“${label}” is in progress…`,
  /** The button of an action in progress, by code. Codes without a text use `progressOf`. */
  progress: {
    post: 'Posting…',
    unpost: 'Unposting…',
    repost: 'Posting again…',
    mark_for_deletion: 'Marking…',
    unmark_for_deletion: 'Restoring…',
  } as Readonly<Record<string, string>>,
  progressOf: (label: string) => `${label}…`,
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
}

/** The English texts of this group. */
export const actionsEnglish = { actions: actionsTexts }
