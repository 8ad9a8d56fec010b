/** What the Work Center says. */
export const workCenterTexts = { title: 'Work Center' }
