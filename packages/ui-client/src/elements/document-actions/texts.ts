/** What the actions bar and its dialogs say. */
export const actionsTexts = { more: 'More actions' }
