/** A spreadsheet reads a cell that starts with one of these characters as a formula (OWASP: CSV injection). */
const startsFormula = /^[=+\-@\t\r]/

/**
 * Returns a line of a CSV file with its line break (RFC 4180). A cell that a spreadsheet would run as a formula gets the
 * prefix `'`.
 */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(text: string): string {
  const safe = startsFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
