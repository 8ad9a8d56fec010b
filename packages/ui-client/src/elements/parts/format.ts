import { html, type TemplateResult } from 'lit'
import { $texts } from '../texts.ts'

const locale = (): string | undefined => $texts.get().locale ?? undefined

const made = new Map<string, Intl.DateTimeFormat>()

/** Making one takes longer than a row of a list: each is made once. */
function format(instant: string, dateStyle?: 'medium', timeStyle?: 'short'): string {
  const key = `${locale()} ${dateStyle} ${timeStyle}`
  const known = made.get(key) ?? new Intl.DateTimeFormat(locale(), { dateStyle, timeStyle })
  made.set(key, known)
  return known.format(new Date(instant))
}

/** An instant in words of the reader's place: the day, and the time of day. */
export const formatInstant = (instant: string): string => format(instant, 'medium', 'short')

/** A day alone. */
export const formatDay = (instant: string): string => format(instant, 'medium')

/** The time of day alone. */
export const formatTime = (instant: string): string => format(instant, undefined, 'short')

/** An instant as an element that machines and screen readers understand. */
export function timeOf(instant: string): TemplateResult {
  const words = formatInstant(instant)
  return html`<time datetime=${instant} title=${words}>${words}</time>`
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A size in steps of 1,000, as operating systems show it. */
export function formatBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** step
  return new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value)
}

/** A name within a sentence: it neither takes its direction from the words around it nor changes theirs (Unicode's isolates). */
export const isolated = (name: string): string =>
  `\u2068${name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')}\u2069`
