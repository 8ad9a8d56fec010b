/** Formats a typed amount with two decimal places: `12` becomes `12.00`. Returns other text unchanged. */
export function tidyAmount(text: string): string {
  const [, whole, places = ''] = /^\s*(\d{1,13})(?:[.,](\d{0,2}))?\s*$/.exec(text) ?? []
  return whole === undefined ? text : `${whole.replace(/^0+(?=\d)/, '')}.${places.padEnd(2, '0')}`
}

/** Returns whether a text is a complete amount with two decimal places. */
export const isAmount = (text: string): boolean => /^\d{1,13}\.\d{2}$/.test(text)

/** Parses a typed quantity. Returns other text unchanged, so that the service refuses it with an error for the field. */
export function quantityOf(text: string): number | string {
  const typed = text.trim().replace(',', '.')
  return /^\d+(\.\d{1,3})?$/.test(typed) ? Number(typed) : text
}
