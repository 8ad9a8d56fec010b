/** What the preferences say. */
export const preferencesTexts = { title: 'Notification preferences' }
