/** What the attachments panel says. */
export const attachmentsTexts = { title: 'Attachments' }
