/** What was typed as an amount, with its two places: `12` and `12.5` become `12.00` and `12.50`. The rest stays as it is. */
export function tidyAmount(text: string): string {
  const [, whole, places = ''] = /^\s*(\d{1,13})(?:[.,](\d{0,2}))?\s*$/.exec(text) ?? []
  return whole === undefined ? text : `${whole.replace(/^0+(?=\d)/, '')}.${places.padEnd(2, '0')}`
}

/** Whether text is an amount that can be counted with. */
export const isAmount = (text: string): boolean => /^\d{1,13}\.\d{2}$/.test(text)

/** What was typed as a quantity; what is no number is sent as it is, and refused with a reason. */
export function quantityOf(text: string): number | string {
  const typed = text.trim().replace(',', '.')
  return /^\d+(\.\d{1,3})?$/.test(typed) ? Number(typed) : text
}
