import { html, type TemplateResult } from 'lit'
import { $texts } from '../texts.ts'

const locale = (): string | undefined => $texts.get().locale ?? undefined

/** An instant in words of the reader's place: the day, and the time of day. */
export function formatInstant(instant: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(instant),
  )
}

/** A day alone. */
export function formatDay(instant: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(new Date(instant))
}

/** The time of day alone. */
export function formatTime(instant: string): string {
  return new Intl.DateTimeFormat(locale(), { timeStyle: 'short' }).format(new Date(instant))
}

/** An instant as an element that machines and screen readers understand. */
export const timeOf = (instant: string): TemplateResult =>
  html`<time datetime=${instant} title=${formatInstant(instant)}>${formatInstant(instant)}</time>`

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
