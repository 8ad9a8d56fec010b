/** The forms of a noun: for “one”, for “few” if the language has it, and for all other counts. */
type Forms = readonly [one: string, other: string] | readonly [one: string, few: string, other: string]

/** Returns a function that picks the form for a count, by the plural rules of a language. */
export function pluralOf(locale: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(locale)
  return (count, forms) => {
    const category = rules.select(count)
    if (category === 'one') return forms[0]
    return category === 'few' ? forms[1] : (forms[2] ?? forms[1])
  }
}
