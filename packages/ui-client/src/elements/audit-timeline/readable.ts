import { formatDay, formatInstant } from '../parts/format.ts'
import type { Texts } from '../texts.ts'

/** The last part of a code or a path in words: `trade.payment_applied` is "Payment applied", `fields.dueDate` "Due date". */
export function readable(code: string): string {
  const words = (code.split('.').at(-1) ?? code)
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const day = /^\d{4}-\d\d-\d\d$/

/** A value as a person reads it, by its type: text as it is, days and instants in words, lists an item a line. */
export function formatValue(value: unknown, texts: Texts['audit']): string {
  if (value === null || value === undefined || value === '') return texts.nothing
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (Array.isArray(value)) {
    return value.length === 0
      ? texts.nothing
      : value.map((item: unknown) => formatValue(item, texts)).join('\n')
  }
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, part]) => `${readable(name)}: ${formatValue(part, texts)}`)
      .join(', ')
  }
  return typeof value === 'string' ? formatText(value) : String(value)
}

/** What looks like a day or an instant and is none stays as it is. */
function formatText(text: string): string {
  const isInstant = instant.test(text)
  if (!(isInstant || day.test(text)) || Number.isNaN(Date.parse(text))) return text
  // A day has no zone: its noon is on that day wherever the reader is.
  return isInstant ? formatInstant(text) : formatDay(`${text}T12:00:00`)
}

const maxLines = 4
const maxChars = 280

/** Whether a text is too long to be shown at once. */
export const isLong = (text: string): boolean =>
  text.length > maxChars || text.split('\n', maxLines + 1).length > maxLines
