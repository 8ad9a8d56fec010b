import { textsOf } from '../texts.ts'

/** Texts of the execution of an action and of its question. */
export const runTexts = {
  done: (label: string) => `“${label}” is complete.`,
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
  reason: 'Reason',
  reasonMissing: 'Enter a reason.',
  reasonTooLong: (maxChars: number) => `Enter no more than ${maxChars.toLocaleString()} characters.`,
}

const runEnglish = { actions: runTexts }

/** Returns the texts of this part, with the changes of the page. */
export const runTextsNow = (): typeof runTexts => textsOf(runEnglish).actions
