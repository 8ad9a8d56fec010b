/** A suggested end of a snooze. */
export interface SnoozePreset {
  readonly code: 'inOneHour' | 'thisEvening' | 'tomorrowMorning' | 'nextWeek'
  readonly atUtc: string
}

const morningHour = 8
const eveningHour = 18
const hourMs = 3_600_000

/**
 * Returns the presets that are useful at this time, in the user's time zone. "This evening" is offered until one hour
 * before the evening starts. "Next week" is the next Monday, and is not offered on a Sunday.
 */
export function snoozePresets(now: Date): readonly SnoozePreset[] {
  const day = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour)
  const evening = day(0, eveningHour)
  const daysToMonday = (8 - now.getDay()) % 7 || 7
  const presets = [
    { code: 'inOneHour', at: new Date(now.getTime() + hourMs), isOffered: true },
    { code: 'thisEvening', at: evening, isOffered: evening.getTime() - now.getTime() >= hourMs },
    { code: 'tomorrowMorning', at: day(1, morningHour), isOffered: true },
    { code: 'nextWeek', at: day(daysToMonday, morningHour), isOffered: daysToMonday > 1 },
  ] as const
  return presets
    .filter(({ isOffered }) => isOffered)
    .map(({ code, at }) => ({ code, atUtc: at.toISOString() }))
}
