/** What the audit timeline says. */
export const auditTexts = { title: 'History' }
