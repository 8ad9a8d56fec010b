/** Formats a count for a person: `1 event`, `2,346 events`. */
export const count = (amount: number, noun: string): string =>
  `${grouped(amount)} ${noun}${amount === 1 ? '' : 's'}`

/** Formats a number for a person: `2,346`. */
export const grouped = (amount: number): string => amount.toLocaleString('en')
