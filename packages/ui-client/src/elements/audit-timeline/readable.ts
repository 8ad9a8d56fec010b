import type { References } from '../../wire/audit.ts'
import { formatDay, formatInstant } from '../parts/format.ts'
import type { TextsOf } from '../texts.ts'

/** Converts the last part of a code or path to words: `trade.payment_applied` to "Payment applied". */
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

/** Returns the name of the object or user with this id; undefined if the reader may not know it, and for other values. */
export const nameOf = (value: unknown, references: References): string | undefined =>
  typeof value === 'string' && Object.hasOwn(references, value) ? references[value]?.display : undefined

/** Converts the path of an id that is shown as a name: `fields.customerId` to "Customer". */
export const readableReference = (path: string): string => readable(path.replace(/Ids?$/, ''))

/**
 * Formats a value for display. Text stays unchanged, dates and instants are localised, lists have one item per line. Ids with
 * a name become this name.
 */
export function formatValue(
  value: unknown,
  texts: TextsOf<'audit'>['audit'],
  references: References = {},
): string {
  if (value === null || value === undefined || value === '') return texts.nothing
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (Array.isArray(value)) {
    return value.length === 0
      ? texts.nothing
      : value.map((item: unknown) => formatValue(item, texts, references)).join('\n')
  }
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, part]) => {
        const hasName = nameOf(part, references) !== undefined
        const label = hasName ? readableReference(name) : readable(name)
        return `${label}: ${formatValue(part, texts, references)}`
      })
      .join(', ')
  }
  return typeof value === 'string' ? (nameOf(value, references) ?? formatText(value)) : String(value)
}

/** Formats dates and instants. Returns other text, such as invalid dates, unchanged. */
function formatText(text: string): string {
  const isInstant = instant.test(text)
  if (!(isInstant || day.test(text)) || Number.isNaN(Date.parse(text))) return text
  // A date has no time zone. Noon in the local time zone is always on that date.
  return isInstant ? formatInstant(text) : formatDay(`${text}T12:00:00`)
}

const maxLines = 4
const maxChars = 280

/** Returns whether a text is too long to show in full. */
export const isLong = (text: string): boolean =>
  text.length > maxChars || text.split('\n', maxLines + 1).length > maxLines
