import * as v from 'valibot'
import { channels, itemKinds, mailDeliveries } from './items.ts'

/** One preference of a user. */
export const Preference = v.pipe(
  v.object({
    code: v.string(),
    kind: v.picklist(itemKinds),
    displayName: v.string(),
    category: v.string(),
    description: v.string(),
    channel: v.picklist(channels),
    isEnabled: v.boolean(),
    defaultEnabled: v.boolean(),
    userCanDisable: v.boolean(),
    isMandatory: v.boolean(),
  }),
  v.metadata({ ref: 'NotificationPreference' }),
)
export type Preference = v.InferOutput<typeof Preference>

/** All preferences of a user. */
export const Preferences = v.array(Preference)

/** No deployment defines this many preferences. The maximum limits the lookups that one request body can cause. */
const preferencesMax = 500

/** Returns whether JavaScript knows the time zone, by its name of the IANA database. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    // Excludes offsets such as `+01:00`, which have no daylight saving time and another sign in PostgreSQL.
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

/** How a user receives mails. `dailyHour` is the hour of the daily mail in the time zone. */
export const MailSettings = v.pipe(
  v.object({
    delivery: v.picklist(mailDeliveries),
    timeZone: v.pipe(
      v.string(),
      v.maxLength(64),
      v.check(isTimeZone, 'expected a time zone such as Europe/Vienna'),
    ),
    dailyHour: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(23)),
  }),
  v.metadata({ ref: 'MailSettings' }),
)
export type MailSettings = v.InferOutput<typeof MailSettings>

/** The preferences to change. All other preferences keep their values. */
export const SetPreferencesBody = v.pipe(
  v.object({
    preferences: v.pipe(
      v.array(v.object({ code: v.string(), channel: v.string(), isEnabled: v.boolean() })),
      v.maxLength(preferencesMax, `expected at most ${preferencesMax}`),
    ),
  }),
  v.metadata({ ref: 'SetNotificationPreferences' }),
)
