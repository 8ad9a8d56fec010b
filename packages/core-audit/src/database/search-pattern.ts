/**
 * Returns a regular expression of PostgreSQL that matches a text in upper and lower case, and every other character literally.
 * `lower()` and `ilike` are no alternative: in a database with the locale C, they know only the letters of English.
 */
export const searchPattern = (text: string): string => [...text].map(patternOf).join('')

function patternOf(char: string): string {
  const [lower, upper] = [char.toLowerCase(), char.toUpperCase()]
  const cases = new Set([char, lower, upper, upper.toLowerCase(), lower.toUpperCase()])
  // Some letters become two in the other case, such as ß. A bracket expression matches only one.
  const single = [...cases].filter((one) => [...one].length === 1)
  return single.length > 1 ? `[${single.join('')}]` : char.replace(/[.*+?^${}()|[\]\\]/, '\\$&')
}
