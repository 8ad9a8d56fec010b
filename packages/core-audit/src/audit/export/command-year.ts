/** Parses the year of a command; `null` for other text. PostgreSQL's ids begin in 1970 and have room until 10889. */
export function readYear(text: string | undefined): number | null {
  return text !== undefined && /^(19[7-9]\d|[2-9]\d{3})$/.test(text) ? Number(text) : null
}
