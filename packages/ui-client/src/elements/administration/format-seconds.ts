import { sharedTexts } from '../texts.ts'

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Formats a duration in its largest unit, such as “3 min”. */
export function formatSeconds(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? units[3]
  const value = Math.floor(seconds / length)
  const { locale } = sharedTexts()
  return new Intl.NumberFormat(locale ?? undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(
    value,
  )
}
