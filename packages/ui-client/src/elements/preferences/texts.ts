/** What the preferences say. */
export const preferencesTexts = {
  title: 'Notification preferences',
  task: 'Task',
  notification: 'Notification',
  mandatory: 'Always on: it cannot be switched off.',
  empty: 'There is nothing to choose.',
  emptyHint: 'None of your roles gets tasks or notifications.',
  saving: 'Saving…',
}
