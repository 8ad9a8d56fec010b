/** Texts of the messages about the user's work. */
export const feedbackTexts = {
  title: 'Messages',
  undo: 'Undo',
  undoOf: (text: string) => `Undo: ${text}`,
  dismissOf: (text: string) => `Close: ${text}`,
  /** Follows a message that can be undone, for screen readers. */
  hint: 'Press F8, then Enter, to undo.',
}

/** The English texts of this group. */
export const feedbackEnglish = { feedback: feedbackTexts }
