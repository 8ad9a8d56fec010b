/** Texts of the preferences panel. */
export const preferencesTexts = {
  title: 'Notification preferences',
  task: 'Task',
  notification: 'Notification',
  mandatory: 'This cannot be turned off.',
  empty: 'You have no notification preferences.',
  emptyHint: 'None of your roles receives tasks or notifications.',
  saving: 'Saving…',
  inApp: 'In the app',
  byMail: 'By mail',
  mails: 'Mails',
  delivery: 'When to send mails',
  immediately: 'Immediately',
  daily: 'Once a day',
  dailyHour: 'Hour of the daily mail',
  timeZone: (name: string) => `Time zone: ${name}`,
}

/** The English texts of this group. */
export const preferencesEnglish = { preferences: preferencesTexts }
