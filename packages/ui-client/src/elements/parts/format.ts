import { html, type TemplateResult } from 'lit'
import { sharedTexts } from '../texts.ts'

const locale = (): string | undefined => sharedTexts().locale ?? undefined

const made = new Map<string, unknown>()

/**
 * Returns a formatter of the current locale and time zone: both can change while the page is open. Caches it, because creating a
 * formatter takes longer than rendering a row.
 */
function formatter<T, Options>(
  Format: new (locale: string | undefined, options: Options) => T,
  options: Options,
): T {
  const key = JSON.stringify([locale(), new Date().getTimezoneOffset(), options])
  const known = (made.get(key) as T | undefined) ?? new Format(locale(), options)
  made.set(key, known)
  return known
}

/** Formats a time relative to now. */
const formatRelative = (value: number, unit: Intl.RelativeTimeFormatUnit): string =>
  formatter(Intl.RelativeTimeFormat, { numeric: 'auto' }).format(value, unit)

/** Formats an instant. */
const format = (
  instant: string,
  dateStyle?: 'medium',
  timeStyle?: 'short' | 'medium',
  timeZone?: 'UTC',
): string => formatter(Intl.DateTimeFormat, { dateStyle, timeStyle, timeZone }).format(new Date(instant))

/** Formats the date and time of an instant in the reader's locale and time zone. */
export const formatInstant = (instant: string): string => format(instant, 'medium', 'short')

/** Formats an instant with its seconds, for events that follow each other closely. */
export const formatInstantInSeconds = (instant: string): string => format(instant, 'medium', 'medium')

/** Formats the date of an instant. */
export const formatDay = (instant: string): string => format(instant, 'medium')

/** Formats a day without a time zone, such as `2026-11-30`: the same day for every reader. */
export const formatDate = (day: string): string => format(`${day}T00:00:00Z`, 'medium', undefined, 'UTC')

/** Formats the time of day of an instant. */
export const formatTime = (instant: string): string => format(instant, undefined, 'short')

/**
 * Renders an instant as a machine-readable `<time>` element: relative to now for a day, then as its date and time. The
 * tooltip always contains the date and time. The element must call `keepTimesCurrent`.
 */
export function timeOf(instant: string): TemplateResult {
  const text = formatInstant(instant)
  const ageMs = ageOf(instant, Date.now())
  return html`<time datetime=${instant} title=${text}>${ageMs < dayMs ? formatAge(ageMs) : text}</time>`
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Formats a size in decimal units (1 kB is 1,000 bytes). */
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

/** Wraps a name in Unicode isolates. The name and the sentence around it can then have different writing directions. */
export const isolated = (name: string): string =>
  `\u2068${name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')}\u2069`

const minuteMs = 60_000
const dayMs = 86_400_000

/** A clock behind makes the age of a new instant negative, so the minimum is 0. */
const ageOf = (instant: string, nowMs: number): number => Math.max(0, nowMs - Date.parse(instant))

/** Formats an age of less than a day. Less than a minute is “now”. */
function formatAge(ageMs: number): string {
  const minutes = Math.floor(ageMs / minuteMs)
  if (minutes < 1) return formatRelative(0, 'second')
  return minutes < 60 ? formatRelative(-minutes, 'minute') : formatRelative(-Math.floor(minutes / 60), 'hour')
}

/**
 * Formats a past instant relative to now, such as “2 minutes ago”. Less than a minute, or a clock behind, is “now”. After 24
 * hours, counts the days of the calendar: “yesterday” never means the day before yesterday.
 */
export function formatAgo(instant: string, nowMs: number = Date.now()): string {
  const ageMs = ageOf(instant, nowMs)
  return ageMs < dayMs ? formatAge(ageMs) : formatInDays(daysUntil(instant, new Date(nowMs)))
}

/**
 * Returns the number of days from today to a day without a time zone, such as `2026-11-30`, or to the local day of an instant.
 * It is negative for days in the past. A day of 23 or 25 hours counts as one.
 */
export function daysUntil(due: string, now: Date): number {
  const [year = 0, month = 1, day = 1] = isDay(due) ? due.split('-').map(Number) : localDay(new Date(due))
  const [thisYear = 0, thisMonth = 1, today = 1] = localDay(now)
  return (Date.UTC(year, month - 1, day) - Date.UTC(thisYear, thisMonth - 1, today)) / dayMs
}

/** Returns whether a text is a day without a time zone, and not an instant. */
export const isDay = (due: string): boolean => due.length === 10

const localDay = (at: Date): readonly number[] => [at.getFullYear(), at.getMonth() + 1, at.getDate()]

/** Formats a number of days relative to today, such as “tomorrow” or “in 3 days”. */
export const formatInDays = (days: number): string => formatRelative(days, 'day')

/** Formats a number of days, such as “3 days”. */
export const formatDays = (days: number): string =>
  new Intl.NumberFormat(locale(), { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days)

/** Renders an instant of today as its time, and an earlier one as its date. The tooltip contains both. */
export function shortTimeOf(instant: string): TemplateResult {
  const isToday = daysUntil(instant, new Date()) === 0
  return html`<time datetime=${instant} title=${formatInstant(instant)}>${isToday ? formatTime(instant) : formatDay(instant)}</time>`
}
